// The namespaces of operations: whose texts define an operation, and how the versions in its name
// are meant. Each has its rows in a file of this folder.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tscatter/ops/operation.hpp"

namespace tscatter::names {

// What the number in a name, as in ScatterNDUpdate-15, says.
enum class Versions : std::uint8_t {
  exact,  // which operation is meant
  opset,  // in which set: the newest version not above it is meant
};

struct Namespace {
  std::string_view name;  // what stands before the first dot
  std::array<std::string_view, 2> aliases = {};
  // What may stand behind the first dot: torch.Tensor.scatter is torch.scatter. Folded.
  std::array<std::string_view, 2> packages = {};
  Versions versions;
  std::span<const Operation> operations;
};

extern const Namespace openvino;
extern const Namespace onnx;
extern const Namespace tosa;
extern const Namespace generic;
extern const Namespace numpy;
extern const Namespace torch;
extern const Namespace tf;
extern const Namespace jax;
extern const Namespace paddle;
extern const Namespace stablehlo;
extern const Namespace xla;

// What reads an index as numpy.setitem writes to it, for its rules: no call applies it.
extern const Operation getitem;

// Names without a dot are in the first one.
inline constexpr std::array all{&openvino, &onnx, &tosa,   &generic,   &numpy, &torch,
                                &tf,       &jax,  &paddle, &stablehlo, &xla};

}  // namespace tscatter::names
