#include "isochor/render/color_bar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "isochor/render/text.h"

namespace isochor {
namespace {

constexpr int kTickLength = 5;
constexpr int kWantedTicks = 5;

double tick_step(double min, double max, int count) {
  const double rough = (max - min) / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

int bar_width(int height) { return std::clamp(6 + height / 50, 8, 40); }

}  // namespace

std::vector<double> ticks(double min, double max, int count) {
  const double step = tick_step(min, max, count);
  std::vector<double> result;
  // Half a thousandth of a step of grace, so that ends that are round numbers themselves get their tick.
  const double grace = 5e-4;
  for (double i = std::ceil(min / step - grace); i <= max / step + grace; ++i) {
    result.push_back(i == 0 ? 0.0 : i * step);
    if (result.size() > 1000) break;
  }
  return result;
}

std::string tick_label(double value, double step) {
  if (value == 0) return "0";
  std::array<char, 64> text{};
  std::to_chars_result end{};
  if (std::max(std::abs(value), std::abs(step)) >= 1e6 || step < 1e-4) {
    end = std::to_chars(text.begin(), text.end(), value, std::chars_format::general, 2);
  } else {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    end = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, decimals);
  }
  return {text.data(), end.ptr};
}

ColorBarLayout color_bar_layout(const ColorScale& scale, int height) {
  ColorBarLayout layout;
  layout.text_size = std::clamp(6 + height / 55.0, 9.0, 40.0);
  const TextStyle style{.size = layout.text_size};
  const int pad = static_cast<int>(std::lround(layout.text_size * 0.8));
  const int title = scale.title.empty() ? 0 : static_cast<int>(std::lround(layout.text_size * 1.7));
  const int bar = bar_width(height);
  const double step = tick_step(scale.min, scale.max, kWantedTicks);
  double numbers = 0;
  for (const double t : ticks(scale.min, scale.max, kWantedTicks)) {
    numbers = std::max(numbers, text_width(tick_label(t, step), style));
  }
  const double below = bar + kTickLength + 0.5 * layout.text_size + numbers;
  const double content = std::max(below, text_width(scale.title, style));
  layout.width = static_cast<int>(std::ceil(content)) + 2 * pad;
  const int top = pad * 2 + title;
  layout.bar = {pad, top, bar, std::max(1, height - top - 2 * pad)};
  return layout;
}

void draw_color_bar(Image& image, const PixelRect& strip, const ColorScale& scale) {
  const ColorBarLayout layout = color_bar_layout(scale, strip.height);
  const PixelRect bar{strip.x + layout.bar.x, strip.y + layout.bar.y, layout.bar.width, layout.bar.height};
  for (int y = 0; y < bar.height; ++y) {
    const double t = 1 - (y + 0.5) / bar.height;
    fill_rect(image, {bar.x, bar.y + y, bar.width, 1}, map_color(scale.map, t));
  }
  const Color ink = srgb(0x2b2f36);
  const TextStyle style{.size = layout.text_size, .color = ink};
  const double step = tick_step(scale.min, scale.max, kWantedTicks);
  for (const double tick : ticks(scale.min, scale.max, kWantedTicks)) {
    const double share = std::clamp((tick - scale.min) / (scale.max - scale.min), 0.0, 1.0);
    const int row = bar.y + std::min(bar.height - 1, static_cast<int>((1 - share) * bar.height));
    fill_rect(image, {bar.x + bar.width, row, kTickLength, 1}, ink);
    // Digits have no descender, so the middle of what one sees lies above the middle of the line box.
    draw_text(image, tick_label(tick, step),
              {bar.x + bar.width + kTickLength + 0.4 * style.size, row + 0.5 - 0.44 * style.size}, style);
  }
  if (!scale.title.empty()) {
    draw_text(image, scale.title, {static_cast<double>(bar.x), bar.y - 1.9 * style.size}, style);
  }
}

}  // namespace isochor
