#include "pictures/picture_format.hpp"

#include <array>

#include "pictures/png.hpp"
#include "pictures/svg.hpp"

namespace tscatter::app {
namespace {

constexpr std::array table_of_formats{
    PictureFormat{.ending = ".png", .drawn = png},
    PictureFormat{.ending = ".svg", .drawn = svg_file, .is_text = true}};

}  // namespace

std::span<const PictureFormat> picture_formats() { return table_of_formats; }

}  // namespace tscatter::app
