#include <fmt/format.h>

#include <array>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/gathered.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

void require_bools(const Operation& operation, const Tensor& mask) {
  if (mask.type().dtype == DType::boolean) return;
  refuse(operation, Check::indices_dtype, "{} must be of dtype bool{}, got {}",
         operation.called("mask"),
         is_integer(mask.type().dtype) ? " (tscatter convert IN OUT --to bool)" : "",
         to_string(mask.type()));
}

// In data's shape.
Tensor fitted_mask(const Operation& operation, const Tensor& mask, const Tensor& data) {
  const std::string_view called = operation.called("data");
  if (operation.reshapes_mask && mask.count() != data.count()) {
    refuse(operation, Check::indices_shape, "{} must have {} elements, as {} has, got {}",
           operation.called("mask"), data.count(), called, to_string(mask.shape()));
  }
  if (operation.reshapes_mask) return reshaped(mask, data.shape());
  if (broadcasts_to(mask.shape(), data.shape())) return broadcast_to(mask, data.shape());
  refuse(operation, Check::indices_shape, "{} must broadcast to {}, the shape of {}, got {}",
         operation.called("mask"), to_string(data.shape()), called, to_string(mask.shape()));
}

// Makes the mask an index of data; without one, that is all of data.
void take_mask(const Operation& operation, Arguments& arguments) {
  const auto mask = arguments.operands.find("mask");
  arguments.index = {{EllipsisItem{}, "..."}};
  if (mask == arguments.operands.end()) return;
  require_bools(operation, mask->second);
  mask->second = fitted_mask(operation, mask->second, arguments.operand("data"));
  arguments.index = {{OperandItem{"mask"}, std::string(operation.called("mask"))}};
}

// Updates of all places become those where the mask is true.
void take_updates_of_places(const Operation& operation, Arguments& arguments) {
  Tensor& updates = arguments.operands.find("updates")->second;
  const bool is_one_value = updates.count() == 1;
  fit_updates(operation, arguments,
              {.shape = arguments.operand("data").shape(),
               .formula = fmt::format("the shape of {}", operation.called("data"))});
  if (arguments.find("mask") == nullptr) return;
  if (is_one_value) {
    const Shape places = resolve_index(operation, arguments).result;
    updates = strided_view(updates, 0, std::array{ViewAxis{.count = places.front(), .stride = 0}},
                           updates.name());
    return;
  }
  Arguments of_updates{.operands = {{"data", updates}, {"mask", arguments.operand("mask")}},
                       .attributes = {},
                       .index = arguments.index};
  updates = gathered(operation, of_updates, {}, updates.name());
}

}  // namespace

Shape updates_of_mask(const Operation& operation, const Arguments& arguments) {
  if (operation.fits_updates_to_data) return arguments.operand("data").shape();
  Arguments with_index = arguments;
  take_mask(operation, with_index);
  return resolve_index(operation, with_index).result;
}

void prepare_mask(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  take_mask(operation, arguments);
  if (!operation.fits_updates_to_data) {
    fit_updates(operation, arguments,
                {.shape = resolve_index(operation, arguments).result,
                 .formula = "mask has places that are true"});
  } else if (!arguments.is_prepared) {
    take_updates_of_places(operation, arguments);
  }
}

}  // namespace tscatter::forms
