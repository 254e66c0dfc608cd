// The study's picture: for each pair a panel of errors and one of times against the voxel size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "host/scene/names.h"
#include "host/study/voxel_study.h"

namespace intervox::host {
namespace {

constexpr double kPanelWidth = 360, kPanelHeight = 260, kMargin = 64, kLegend = 96;
constexpr std::array kColours = {"#4269d0", "#efb118", "#ff725c", "#3ca951", "#6cc5b0"};

/** Powers of ten around what is shown. */
struct Decades {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();

  void Take(double value) {
    if (!(value > 0)) return;
    lo = std::min(lo, std::log10(value));
    hi = std::max(hi, std::log10(value));
  }
  void Round() {
    if (!(lo <= hi)) lo = hi = 0;
    lo = std::floor(lo);
    hi = std::max(std::ceil(hi), lo + 1);
  }
  /** 0 at the low end, 1 at the high one. */
  double At(double value) const { return (std::log10(value) - lo) / (hi - lo); }
};

using Quantity = std::function<double(const StudyRow&)>;

/** One panel with its corner at (x, y). */
std::string Panel(const std::vector<StudyRow>& rows, const std::vector<LeafRule>& rules,
                  const std::string& title, double x, double y, const Quantity& of) {
  Decades across, up;
  for (const StudyRow& row : rows) {
    across.Take(row.voxel_size);
    up.Take(of(row));
  }
  across.Round();
  up.Round();
  const auto at_x = [&](double v) { return x + kMargin + across.At(v) * (kPanelWidth - kMargin); };
  const auto at_y = [&](double v) { return y + kPanelHeight - up.At(v) * kPanelHeight; };
  std::string text = fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n",
                                 x + kMargin, y - 8, title);
  for (double d = up.lo; d <= up.hi; ++d) {
    const double v = std::pow(10, d);
    text += fmt::format(
        "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\"/><text x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">1e{:.0f}</text>\n",
        x + kMargin, at_y(v), x + kPanelWidth, x + kMargin - 6, at_y(v) + 4, d);
  }
  for (double d = across.lo; d <= across.hi; ++d) {
    const double v = std::pow(10, d);
    text += fmt::format(
        "<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"#ddd\"/><text x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\">1e{:.0f} m</text>\n",
        at_x(v), y, y + kPanelHeight, at_x(v), y + kPanelHeight + 18, d);
  }
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const char* colour = kColours[k % kColours.size()];
    std::string path, dots;
    for (const StudyRow& row : rows) {
      if (row.rule != rules[k] || !(of(row) > 0)) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x(row.voxel_size),
                          at_y(of(row)));
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>",
                          at_x(row.voxel_size), at_y(of(row)), colour);
    }
    text += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>{}\n", path,
                        colour, dots);
  }
  return text;
}

/** Escapes what XML takes for markup. */
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string StudyPicture(const std::vector<StudyRow>& rows) {
  std::vector<LeafRule> rules;
  std::vector<std::string> pairs;
  for (const StudyRow& row : rows) {
    if (std::find(rules.begin(), rules.end(), row.rule) == rules.end()) rules.push_back(row.rule);
    if (std::find(pairs.begin(), pairs.end(), row.pair) == pairs.end()) pairs.push_back(row.pair);
  }
  const double step = kPanelHeight + 72, width = 2 * kPanelWidth + 2 * kMargin + kLegend;
  const double height = step * static_cast<double>(pairs.size()) + 40;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    std::vector<StudyRow> mine;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(mine),
                 [&](const StudyRow& row) { return row.pair == pairs[p]; });
    const double y = 40 + step * static_cast<double>(p);
    text += Panel(mine, rules, Escaped(pairs[p]) + ": error of V, relative", 0, y,
                  [](const StudyRow& row) { return row.volume_error; });
    text += Panel(mine, rules, "time of a query [s]", kPanelWidth + kMargin / 2, y,
                  [](const StudyRow& row) { return row.seconds; });
  }
  const double x = width - kLegend - kMargin / 2;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const double y = 48 + 20 * static_cast<double>(k);
    text += fmt::format(
        "<path d=\"M{:.1f} {:.1f}h24\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{:.1f}\" "
        "y=\"{:.1f}\">{}</text>\n",
        x, y, kColours[k % kColours.size()], x + 30, y + 4, WordOf(rules[k]));
  }
  return text + "</svg>\n";
}

}  // namespace intervox::host
