// model.safetensors.index.json: which of the files beside it has which tensor. Rule: st.f9.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter {

// Adds the rest of an index to the spool, which has its first bytes. What is no index is refused
// where it goes wrong, however long the rest is. Throws Error (format, st.f9).
void spool_index(Spool& spool, const File& pipe);

class ShardIndex {
 public:
  // `name` is used in messages.
  ShardIndex(std::shared_ptr<const Source> file, std::string name)
      : file_{std::move(file)}, name_{std::move(name)} {}

  const std::string& name() const { return name_; }

  // Goes through weight_map in its order. All throw Error (format, st.f9).
  using Take = std::function<void(const std::string& tensor, const std::string& shard)>;
  void visit(const Take& take) const;

  // The name of the file that has the tensor; nullopt if the index does not name it.
  std::optional<std::string> shard_of(std::string_view tensor) const;

  // Throws unless the file of the tensor is named by a plain name.
  void require_plain(const std::string& tensor, const std::string& shard) const;
  [[noreturn]] void refuse_twice(std::string_view tensor) const;

 private:
  std::shared_ptr<const Source> file_;
  std::string name_;
};

}  // namespace tscatter
