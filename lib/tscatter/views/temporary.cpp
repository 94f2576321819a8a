#include <charconv>
#include <cstring>
#include "tscatter/views/basic_index.hpp"
#include "tscatter/views/strided_view.hpp"
#include "tscatter/core/ascii.hpp"
namespace tscatter {
namespace {
class Naive final : public Source {
 public:
  Naive(Tensor base, std::int64_t origin, std::vector<ViewAxis> axes) : base_(base), origin_(origin), axes_(axes) { size_ = (std::int64_t)base.type().size; for (auto& a : axes_) size_ *= a.count; }
  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    const std::int64_t w = (std::int64_t)base_.type().size;
    std::byte element[64];
    for (std::size_t i = 0; i < into.size();) {
      std::int64_t at = (offset + (std::int64_t)i) / w, in = (offset + (std::int64_t)i) % w, rest = at, place = origin_;
      for (std::size_t k = axes_.size(); k-- > 0;) { place += rest % axes_[k].count * axes_[k].stride; rest /= axes_[k].count; }
      base_.source().read(place * w, std::span(element, (std::size_t)w));
      std::size_t n = std::min<std::size_t>((std::size_t)(w - in), into.size() - i);
      std::memcpy(into.data() + i, element + in, n);
      i += n;
    }
  }
  Tensor base_; std::int64_t origin_; std::vector<ViewAxis> axes_; std::int64_t size_;
};
}
Tensor strided_view(const Tensor& base, std::int64_t origin, std::span<const ViewAxis> axes, std::string name) {
  Shape shape; for (auto& a : axes) shape.push_back(a.count);
  return {{.type = base.type(), .shape = shape}, std::make_shared<Naive>(base, origin, std::vector(axes.begin(), axes.end())), name};
}
Tensor broadcast_to(const Tensor& t, const Shape& shape) {
  if (t.shape() == shape) return t;
  auto s = strides_of(t.shape(), t.order());
  std::vector<ViewAxis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t stride = 0;
    if (i + t.rank() >= shape.size()) { std::size_t j = i + t.rank() - shape.size(); if (t.shape()[j] == shape[i]) stride = s[j]; }
    axes.push_back({shape[i], stride});
  }
  return strided_view(t, 0, axes, t.name());
}
std::optional<BasicItem> parse_basic_item(std::string_view text) {
  if (text == "...") return EllipsisItem{};
  if (text == "None" || text == "newaxis") return NewAxisItem{};
  auto number = [](std::string_view t) -> std::optional<std::int64_t> { std::int64_t v; auto [e, c] = std::from_chars(t.data(), t.data() + t.size(), v); return c == std::errc{} && e == t.data() + t.size() ? std::optional(v) : std::nullopt; };
  if (auto n = number(text)) return IntegerItem{*n};
  if (text.find_first_not_of("0123456789-: ") != text.npos || text.find(':') == text.npos) return {};
  SliceItem s; std::optional<std::int64_t>* parts[] = {&s.start, &s.stop, &s.step};
  for (int i = 0; i < 3; ++i) { auto c = text.find(':'); *parts[i] = number(text.substr(0, c)); if (c == text.npos) break; text.remove_prefix(c + 1); }
  return s;
}
std::optional<IndexedWord> split_index(std::string_view word) {
  auto b = word.find('['); if (b == word.npos || b == 0 || word.back() != ']') return {};
  IndexedWord made{std::string(word.substr(0, b)), {}};
  int depth = 0; std::string item;
  for (char c : word.substr(b + 1, word.size() - b - 2)) { if (c == '[' || c == '(') ++depth; if (c == ']' || c == ')') --depth; if (c == ',' && depth == 0) { made.items.push_back(item); item.clear(); } else item += c; }
  made.items.push_back(item);
  return made;
}
}
