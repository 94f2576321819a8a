// NpzMemberOutput: a result that is added to a .npz archive, or replaces its member of that name.
// The other members are copied as they are, and the archive is replaced when it is whole.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "tscatter/core/output.hpp"
#include "tscatter/io/files/output_file.hpp"

namespace tscatter {

class NpzMemberOutput final : public Output {
 public:
  // A new member's name in the archive is `member`, with .npy at its end. Nothing is opened before
  // begin(). Copying the other members ends with Cancelled when *stop becomes true. Throws Error
  // (usage, npz.z19).
  NpzMemberOutput(std::filesystem::path archive, std::string member,
                  Durability durability = Durability::kill,
                  const std::atomic<bool>* stop = nullptr);
  ~NpzMemberOutput() override;

  // Copies the other members. Until the output is committed or gone, other processes that add a
  // member to an archive in the same directory wait. Throws Error (file; format, npz.z1 to npz.z12,
  // where there is an archive that cannot be read).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

 private:
  class Writing;

  std::filesystem::path archive_;
  std::string member_;
  Durability durability_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<Writing> writing_;
};

}  // namespace tscatter
