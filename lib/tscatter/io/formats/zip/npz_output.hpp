// NpzMemberOutput: adds a result to a .npz archive, or replaces the member of that name. The other
// members are copied unchanged, and the archive is replaced once it is complete.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "tscatter/core/output.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

// Throws Error (usage, npz.z19): no member that is written has this name. `where`: the archive.
void require_npz_name(const std::string& name, const std::string& where);

class NpzMemberOutput final : public Output {
 public:
  // A new member is called `member` in the archive, with .npy at its end. Nothing is opened before
  // begin(). Copying the other members throws Cancelled when *stop becomes true. Throws Error
  // (usage, npz.z19).
  NpzMemberOutput(std::filesystem::path archive, std::string member,
                  Durability durability = Durability::kill, StopFlag stop = nullptr);
  ~NpzMemberOutput() override;

  // How begin() waits for its turn. REQUIRES: what is replaced is an archive.
  void take_turn(OutputTurn turn) { turn_ = std::move(turn); }

  // A deflated member is written front to back.
  void compress(Compression compression) { compression_ = compression; }

  // Copies the other members. Until the output is committed or gone, other processes that add
  // members to archives in the same directory wait. Throws Error (file, also undo.u5; format,
  // npz.z1 to npz.z12, for an existing archive that cannot be read; npz.z17).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

 private:
  class Writing;

  std::filesystem::path archive_;
  std::string member_;
  Durability durability_;
  StopFlag stop_;
  OutputTurn turn_;
  Compression compression_ = Compression::stored;
  std::unique_ptr<Writing> writing_;
};

}  // namespace tscatter
