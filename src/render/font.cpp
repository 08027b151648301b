#include "render/font.h"

#include <array>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

namespace isochor::font {
namespace {

/// Strokes in a small language, numbers on the grid:
///   m x y        starts a stroke              l x y        a straight line
///   h x y        a quarter of an ellipse that leaves horizontally and arrives vertically
///   v x y        a quarter of an ellipse that leaves vertically and arrives horizontally
///   q a b x y    a quadratic curve with control point (a, b)
struct Drawing {
  double width;
  const char* strokes;
};

constexpr std::array<Drawing, 95> kAscii{{
    /* space */ {1.4, ""},
    /* ! */ {0, "m 0 7 l 0 2.1 m 0 0 l 0 .05"},
    /* " */ {1.7, "m 0 7 l 0 4.9 m 1.7 7 l 1.7 4.9"},
    /* # */ {4.8, "m 1.1 .4 l 1.9 6.6 m 3 .4 l 3.8 6.6 m 0 2.4 l 4.5 2.4 m .3 4.6 l 4.8 4.6"},
    /* $ */ {4.5, "m 4.3 5.3 v 2.3 6.4 h .2 5 v 2.25 3.5 h 4.5 2 v 2.25 .6 h 0 1.8 m 2.25 7.3 l 2.25 -.3"},
    /* % */ {6.4, "m 5.3 7 l 1.1 0 m 1.4 7 h 0 5.5 v 1.4 4 h 2.8 5.5 v 1.4 7 m 5 3 h 3.6 1.5 v 5 0 h 6.4 1.5 v 5 3"},
    /* & */
    {5.3, "m 5.3 0 l 1.1 4.9 q .7 7 2.3 7 q 3.9 7 3.6 5.4 q 3.3 4.5 1.6 3.7 q 0 2.9 0 1.8 v 1.9 0 q 4.4 0 4.9 3.2"},
    /* ' */ {0, "m 0 7 l 0 4.9"},
    /* ( */ {1.7, "m 1.7 8 q 0 6 0 3.1 q 0 .2 1.7 -1.8"},
    /* ) */ {1.7, "m 0 8 q 1.7 6 1.7 3.1 q 1.7 .2 0 -1.8"},
    /* * */ {3, "m 1.5 7 l 1.5 3.8 m .1 6.2 l 2.9 4.6 m 2.9 6.2 l .1 4.6"},
    /* + */ {4, "m 2 5.2 l 2 1.2 m 0 3.2 l 4 3.2"},
    /* , */ {.5, "m .5 .1 l 0 -1.3"},
    /* - */ {2.4, "m 0 2.9 l 2.4 2.9"},
    /* . */ {0, "m 0 0 l 0 .05"},
    /* / */ {3, "m 0 -.8 l 3 7.4"},
    /* 0 */ {4.4, "m 2.2 7 h 0 3.5 v 2.2 0 h 4.4 3.5 v 2.2 7"},
    /* 1 */ {4.4, "m .8 5.7 l 2.5 7 l 2.5 0"},
    /* 2 */ {4.4, "m .2 5.3 v 2.2 7 h 4.2 5.1 q 4.2 4.1 3.2 3.1 l .1 0 l 4.4 0"},
    /* 3 */ {4.4, "m .3 5.6 v 2.1 7 h 4.1 5.3 v 2.1 3.7 l 1.5 3.7 m 2.1 3.7 h 4.4 1.85 v 2.1 0 h 0 1.4"},
    /* 4 */ {4.4, "m 3.3 0 l 3.3 7 l 0 2 l 4.5 2"},
    /* 5 */ {4.4, "m 4 7 l .7 7 l .4 3.7 q 1.2 4.4 2.2 4.4 h 4.4 2.2 v 2.2 0 h 0 1.3"},
    /* 6 */ {4.4, "m 3.9 6 v 2.4 7 h 0 3.4 l 0 2.2 v 2.2 0 h 4.4 2.15 v 2.2 4.3 h 0 2.2"},
    /* 7 */ {4.4, "m 0 7 l 4.4 7 l 1.5 0"},
    /* 8 */ {4.4, "m 2.2 7 h .3 5.4 v 2.2 3.8 h 4.1 5.4 v 2.2 7 m 2.2 3.8 h 0 1.9 v 2.2 0 h 4.4 1.9 v 2.2 3.8"},
    /* 9 */ {4.4, "m .5 1 v 2 0 h 4.4 3.6 l 4.4 4.8 v 2.2 7 h 0 4.85 v 2.2 2.7 h 4.4 4.8"},
    /* : */ {0, "m 0 .4 l 0 .45 m 0 4.2 l 0 4.25"},
    /* ; */ {.5, "m .5 .1 l 0 -1.3 m .4 4.2 l .4 4.25"},
    /* < */ {3.6, "m 3.6 5.6 l 0 3.2 l 3.6 .8"},
    /* = */ {4, "m 0 4.1 l 4 4.1 m 0 2.3 l 4 2.3"},
    /* > */ {3.6, "m 0 5.6 l 3.6 3.2 l 0 .8"},
    /* ? */ {3.6, "m 0 5.6 v 1.8 7 h 3.6 5.3 q 3.6 4.4 2.6 3.7 q 1.8 3.1 1.8 2 m 1.8 0 l 1.8 .05"},
    /* @ */
    {6.6,
     "m 4.6 2.9 v 3.2 4.4 h 1.8 2.8 v 3.2 1.2 h 4.6 2.9 m 4.6 4.3 l 4.6 2.2 v 5.5 1.2 h 6.6 3.4 v 3.3 6.6 "
     "h 0 2.8 v 3.3 -1 l 4.8 -1"},
    /* A */ {5.2, "m 0 0 l 2.6 7 l 5.2 0 m .9 2.3 l 4.3 2.3"},
    /* B */ {4.6, "m 0 0 l 0 7 l 2.6 7 h 4.3 5.35 v 2.6 3.7 l 0 3.7 m 2.6 3.7 h 4.6 1.85 v 2.6 0 l 0 0"},
    /* C */ {4.9, "m 4.9 1.7 v 2.7 0 h 0 3.5 v 2.7 7 h 4.9 5.3"},
    /* D */ {5, "m 0 0 l 0 7 l 1.9 7 h 5 3.5 v 1.9 0 l 0 0"},
    /* E */ {4, "m 4 7 l 0 7 l 0 0 l 4 0 m 0 3.7 l 3.5 3.7"},
    /* F */ {3.9, "m 3.9 7 l 0 7 l 0 0 m 0 3.6 l 3.4 3.6"},
    /* G */ {5.1, "m 4.9 5.3 v 2.7 7 h 0 3.5 v 2.7 0 h 5.1 2.3 l 5.1 3.2 l 3 3.2"},
    /* H */ {4.8, "m 0 0 l 0 7 m 4.8 0 l 4.8 7 m 0 3.6 l 4.8 3.6"},
    /* I */ {0, "m 0 0 l 0 7"},
    /* J */ {3.2, "m 3.2 7 l 3.2 1.7 v 1.6 0 h 0 1.5"},
    /* K */ {4.6, "m 0 0 l 0 7 m 4.4 7 l 0 2.6 m 1.5 4.1 l 4.6 0"},
    /* L */ {3.8, "m 0 7 l 0 0 l 3.8 0"},
    /* M */ {5.8, "m 0 0 l 0 7 l 2.9 2 l 5.8 7 l 5.8 0"},
    /* N */ {4.9, "m 0 0 l 0 7 l 4.9 0 l 4.9 7"},
    /* O */ {5.6, "m 2.8 7 h 0 3.5 v 2.8 0 h 5.6 3.5 v 2.8 7"},
    /* P */ {4.5, "m 0 0 l 0 7 l 2.6 7 h 4.5 5.1 v 2.6 3.2 l 0 3.2"},
    /* Q */ {5.6, "m 2.8 7 h 0 3.5 v 2.8 0 h 5.6 3.5 v 2.8 7 m 3.5 1.7 l 5.5 -.5"},
    /* R */ {4.6, "m 0 0 l 0 7 l 2.6 7 h 4.5 5.15 v 2.6 3.3 l 0 3.3 m 2.5 3.3 l 4.6 0"},
    /* S */ {4.5, "m 4.3 5.5 v 2.3 7 h .2 5.25 v 2.25 3.6 h 4.5 1.8 v 2.25 0 h 0 1.5"},
    /* T */ {5, "m 0 7 l 5 7 m 2.5 7 l 2.5 0"},
    /* U */ {4.8, "m 0 7 l 0 2.3 v 2.4 0 h 4.8 2.3 l 4.8 7"},
    /* V */ {5.2, "m 0 7 l 2.6 0 l 5.2 7"},
    /* W */ {7.2, "m 0 7 l 1.8 0 l 3.6 6.2 l 5.4 0 l 7.2 7"},
    /* X */ {4.8, "m 0 0 l 4.8 7 m 0 7 l 4.8 0"},
    /* Y */ {5, "m 0 7 l 2.5 3.2 l 5 7 m 2.5 3.2 l 2.5 0"},
    /* Z */ {4.6, "m 0 7 l 4.6 7 l 0 0 l 4.6 0"},
    /* [ */ {1.5, "m 1.5 8 l 0 8 l 0 -1.8 l 1.5 -1.8"},
    /* \ */ {3, "m 0 7.4 l 3 -.8"},
    /* ] */ {1.5, "m 0 8 l 1.5 8 l 1.5 -1.8 l 0 -1.8"},
    /* ^ */ {3.4, "m 0 4.2 l 1.7 7 l 3.4 4.2"},
    /* _ */ {4.4, "m 0 -1 l 4.4 -1"},
    /* ` */ {1.1, "m 0 7 l 1.1 5.7"},
    /* a */ {3.9, "m .3 3.9 v 2 5 h 3.9 3.2 l 3.9 0 m 3.9 2.9 l 1.8 2.9 h 0 1.45 v 1.7 0 h 3.9 1.7"},
    /* b */ {4.1, "m 0 0 l 0 7 m 0 2.5 v 2.05 5 h 4.1 2.5 v 2.05 0 h 0 2.5"},
    /* c */ {3.7, "m 3.7 3.8 v 2.05 5 h 0 2.5 v 2.05 0 h 3.7 1.2"},
    /* d */ {4.1, "m 4.1 0 l 4.1 7 m 4.1 2.5 v 2.05 5 h 0 2.5 v 2.05 0 h 4.1 2.5"},
    /* e */ {4, "m .05 2.6 l 4 2.6 v 2.05 5 h 0 2.5 v 2.05 0 h 3.8 1.1"},
    /* f */ {2.6, "m 2.6 7 l 2.4 7 h .8 5.4 l .8 0 m -.3 4.8 l 2.3 4.8"},
    /* g */ {4.1, "m 4.1 4.8 l 4.1 -.2 v 2.05 -2 h .3 -1.1 m 4.1 2.5 v 2.05 5 h 0 2.5 v 2.05 0 h 4.1 2.5"},
    /* h */ {3.9, "m 0 0 l 0 7 m 0 2.8 v 2 5 h 3.9 2.9 l 3.9 0"},
    /* i */ {0, "m 0 0 l 0 4.8 m 0 6.7 l 0 6.75"},
    /* j */ {1.1, "m 1.1 4.8 l 1.1 -.7 v 0 -2 m 1.1 6.7 l 1.1 6.75"},
    /* k */ {3.8, "m 0 0 l 0 7 m 3.5 4.8 l 0 1.6 m 1.3 2.8 l 3.8 0"},
    /* l */ {.9, "m 0 7 l 0 1.1 v .9 0"},
    /* m */ {6.6, "m 0 0 l 0 4.8 m 0 3 v 1.7 5 h 3.3 3.1 l 3.3 0 m 3.3 3 v 5 5 h 6.6 3.1 l 6.6 0"},
    /* n */ {3.9, "m 0 0 l 0 4.8 m 0 2.8 v 2 5 h 3.9 2.9 l 3.9 0"},
    /* o */ {4.2, "m 2.1 5 h 0 2.5 v 2.1 0 h 4.2 2.5 v 2.1 5"},
    /* p */ {4.1, "m 0 -2 l 0 4.8 m 0 2.5 v 2.05 5 h 4.1 2.5 v 2.05 0 h 0 2.5"},
    /* q */ {4.1, "m 4.1 -2 l 4.1 4.8 m 4.1 2.5 v 2.05 5 h 0 2.5 v 2.05 0 h 4.1 2.5"},
    /* r */ {2.3, "m 0 0 l 0 4.8 m 0 2.6 v 2 4.95 l 2.3 4.95"},
    /* s */ {3.5, "m 3.3 3.9 v 1.75 5 h .15 3.75 v 1.75 2.55 h 3.5 1.25 v 1.75 0 h 0 1.1"},
    /* t */ {2.5, "m .8 6.4 l .8 1.4 v 2.2 0 l 2.5 0 m -.3 4.8 l 2.4 4.8"},
    /* u */ {3.9, "m 3.9 0 l 3.9 4.8 m 0 4.8 l 0 2 v 1.9 0 h 3.9 2.2"},
    /* v */ {4, "m 0 4.8 l 2 0 l 4 4.8"},
    /* w */ {5.8, "m 0 4.8 l 1.5 0 l 2.9 4.4 l 4.3 0 l 5.8 4.8"},
    /* x */ {3.8, "m 0 0 l 3.8 4.8 m 0 4.8 l 3.8 0"},
    /* y */ {4, "m 0 4.8 l 2 0 m 4 4.8 l 1.7 -.9 q 1.3 -2 .2 -2"},
    /* z */ {3.6, "m 0 4.8 l 3.6 4.8 l 0 0 l 3.6 0"},
    /* { */ {2, "m 2 8 q .8 8 .8 6.7 l .8 4.6 q .8 3.1 0 3.1 q .8 3.1 .8 1.6 l .8 -.5 q .8 -1.8 2 -1.8"},
    /* | */ {0, "m 0 8 l 0 -1.8"},
    /* } */ {2, "m 0 8 q 1.2 8 1.2 6.7 l 1.2 4.6 q 1.2 3.1 2 3.1 q 1.2 3.1 1.2 1.6 l 1.2 -.5 q 1.2 -1.8 0 -1.8"},
    /* ~ */ {4.2, "m 0 2.6 q .5 3.8 1.5 3.6 q 2.1 3.4 2.7 3 q 3.7 2.4 4.2 3.6"},
}};

constexpr Drawing kDegree{2.2, "m 1.1 7 h 0 5.9 v 1.1 4.8 h 2.2 5.9 v 1.1 7"};
constexpr Drawing kMissing{4, "m 0 0 l 4 0 l 4 7 l 0 7 l 0 0"};

constexpr char32_t kDegreeSign = 0xb0;

const Drawing& find(char32_t character) {
  if (character >= U' ' && character <= U'~') return kAscii[character - U' '];
  return character == kDegreeSign ? kDegree : kMissing;
}

class Pen {
 public:
  explicit Pen(Glyph& glyph) : glyph_(glyph) {}

  void run(char command, std::istringstream& numbers) {
    Eigen::Vector2d control = here_;
    if (command == 'q') control = read(numbers);
    const Eigen::Vector2d to = read(numbers);
    if (command == 'm') glyph_.strokes.emplace_back();
    if (command == 'm' || command == 'l') add(to);
    if (command == 'h') quarter(Eigen::Vector2d(here_.x(), to.y()), to);
    if (command == 'v') quarter(Eigen::Vector2d(to.x(), here_.y()), to);
    if (command == 'q') quadratic(control, to);
  }

 private:
  static constexpr int kPieces = 8;

  static Eigen::Vector2d read(std::istringstream& numbers) {
    Eigen::Vector2d point;
    numbers >> point.x() >> point.y();
    return point;
  }
  void add(const Eigen::Vector2d& to) {
    glyph_.strokes.back().push_back(to);
    here_ = to;
  }
  /// From here to `to` around the ellipse's centre.
  void quarter(const Eigen::Vector2d& center, const Eigen::Vector2d& to) {
    const Eigen::Vector2d from = here_;
    for (int i = 1; i <= kPieces; ++i) {
      const double angle = std::numbers::pi / 2 * i / kPieces;
      add(center + std::cos(angle) * (from - center) + std::sin(angle) * (to - center));
    }
  }
  void quadratic(const Eigen::Vector2d& control, const Eigen::Vector2d& to) {
    const Eigen::Vector2d from = here_;
    for (int i = 1; i <= kPieces; ++i) {
      const double t = static_cast<double>(i) / kPieces;
      add((1 - t) * (1 - t) * from + 2 * t * (1 - t) * control + t * t * to);
    }
  }

  Glyph& glyph_;
  Eigen::Vector2d here_ = Eigen::Vector2d::Zero();
};

}  // namespace

Glyph glyph(char32_t character) {
  const Drawing& drawing = find(character);
  Glyph result;
  result.width = drawing.width;
  std::istringstream strokes(drawing.strokes);
  strokes.imbue(std::locale::classic());
  Pen pen(result);
  for (char command = 0; strokes >> command;) pen.run(command, strokes);
  return result;
}

}  // namespace isochor::font
