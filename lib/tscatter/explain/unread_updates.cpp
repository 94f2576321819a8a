#include "tscatter/explain/unread_updates.hpp"

#include <memory>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/forms/forms.hpp"

namespace tscatter {
namespace {

class UnreadSource final : public Source {
 public:
  explicit UnreadSource(std::int64_t size) : size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t, std::span<std::byte>) const override { unreachable(); }

 private:
  std::int64_t size_;
};

void put_unread(Arguments& arguments, Shape shape) {
  const TensorHeader header{.type = arguments.operand("data").type(), .shape = std::move(shape)};
  arguments.operands.insert_or_assign(
      "updates", Tensor(header, std::make_shared<UnreadSource>(header.byte_size()), "updates"));
}

// Throws Error (rule) if another rule than that on the shape of updates is broken: it comes first.
bool has_other_shape(const Operation& operation, const Arguments& arguments) {
  try {
    operation.validate(arguments);
    return false;
  } catch (const Error& error) {
    if (error.label() != operation.label(Check::updates_shape)) throw;
    return true;
  }
}

}  // namespace

Arguments with_unread_updates(const Operation& operation, Arguments arguments) {
  if (arguments.find("data") == nullptr) return arguments;  // which is refused
  put_unread(arguments, {});
  check_arguments(operation, arguments);
  const auto updates_shape = forms::info(operation.form).updates_shape;
  // explain.e5
  if (updates_shape == nullptr) {
    fail(ErrorKind::usage, "explain.e5", operation.id,
         "updates must be given where the other operands leave its shape open, got nothing");
  }
  if (has_other_shape(operation, arguments))
    put_unread(arguments, updates_shape(operation, arguments));
  return arguments;
}

}  // namespace tscatter
