#include "heatmap.hpp"

#include "census_text.hpp"
#include "raster.hpp"

namespace tscatter::app {

std::vector<std::byte> heatmap_png(const Census& census) {
  const std::string line = census_line(census);
  Raster picture(text_width(line) + 20, text_height() + 20, {255, 255, 255});
  picture.write(10, 10, line, {0, 0, 0});
  return picture.png();
}

}  // namespace tscatter::app
