// The study's picture: for each pair a panel of errors and one of times against the voxel size, or
// the tolerance.
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

constexpr double kPanelWidth = 360, kPanelHeight = 260, kMargin = 64;
/** Between the panels, where orders are written, and to the right of them. */
constexpr double kGap = 96, kLegend = 160;
constexpr std::array kColours = {"#4269d0", "#efb118", "#ff725c", "#3ca951", "#6cc5b0",
                                 "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0"};

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

/** A line of a panel: a rule to a tolerance on so many threads, or on a device. */
struct Line {
  LeafRule rule;
  double tolerance;
  int threads;
  std::string device;
  bool operator==(const Line&) const = default;
};

/** What is shown along a panel: voxel sizes, and where no row has one tolerances. */
struct Along {
  bool sizes = true;

  explicit Along(const std::vector<StudyRow>& rows)
      : sizes(std::any_of(rows.begin(), rows.end(),
                          [](const StudyRow& row) { return row.voxel_size > 0; })) {}
  /** 0 for exact rules among those of grids: they hold all along. */
  double Of(const StudyRow& row) const { return sizes ? row.voxel_size : row.tolerance; }
  Line LineOf(const StudyRow& row) const {
    return {row.rule, sizes ? row.tolerance : 0, row.threads, row.device};
  }
};

constexpr std::array kDashes = {"none", "6 4", "2 3", "8 3 2 3"};

/** The colour of line k of `lines`: one for each rule. */
std::string ColourOf(const std::vector<Line>& lines, std::size_t k) {
  std::size_t rule = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const bool first = std::none_of(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const Line& l) { return l.rule == lines[i].rule; });
    if (first && lines[i].rule != lines[k].rule) ++rule;
  }
  return fmt::format("stroke=\"{}\" stroke-width=\"2\"", kColours[rule % kColours.size()]);
}

/** The same with dashes for each number of threads. */
std::string StyleOf(const std::vector<Line>& lines, std::size_t k) {
  const auto threads = static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const Line& l) { return l.rule == lines[k].rule; }));
  return fmt::format("{} stroke-dasharray=\"{}\"", ColourOf(lines, k),
                     kDashes[threads % kDashes.size()]);
}

/** One panel with its corner at (x, y).
 @param slopes  whether to write each line's order at its right end */
std::string Panel(const std::vector<StudyRow>& rows, const std::vector<Line>& lines,
                  const std::string& title, double x, double y, const Along& along,
                  const Quantity& of, bool slopes) {
  Decades across, up;
  for (const StudyRow& row : rows) {
    across.Take(along.Of(row));
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
        "text-anchor=\"middle\">1e{:.0f}{}</text>\n",
        at_x(v), y, y + kPanelHeight, at_x(v), y + kPanelHeight + 18, d, along.sizes ? " m" : "");
  }
  const std::vector<StudyOrder> orders = slopes ? OrdersOf(rows) : std::vector<StudyOrder>();
  std::vector<double> taken;  // heights of what is written at the right end
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::string path, dots;
    const StudyRow* last = nullptr;
    for (const StudyRow& row : rows) {
      if (along.LineOf(row) != lines[k] || !(of(row) > 0)) continue;
      if (!(along.Of(row) > 0)) {
        path = fmt::format("M{:.1f} {:.1f}H{:.1f}", x + kMargin, at_y(of(row)), x + kPanelWidth);
        continue;
      }
      const double u = at_x(along.Of(row)), v = at_y(of(row));
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", u, v);
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", u, v);
      if (last == nullptr || row.voxel_size > last->voxel_size) last = &row;
    }
    text += fmt::format("<path d=\"{}\" fill=\"none\" {}/><g {} fill=\"white\">{}</g>\n", path,
                        StyleOf(lines, k), ColourOf(lines, k), dots);
    if (last == nullptr) continue;
    for (const StudyOrder& order : orders) {
      if (order.rule != lines[k].rule || order.tolerance != lines[k].tolerance ||
          std::isnan(order.volume)) {
        continue;
      }
      double at = at_y(of(*last)) + 4;
      while (std::any_of(taken.begin(), taken.end(),
                         [&](double t) { return std::fabs(t - at) < 13; })) {
        at += 13;
      }
      taken.push_back(at);
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{} h^{:.1f}</text>\n",
                          at_x(last->voxel_size) + 7, at, WordOf(order.rule), order.volume);
    }
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
  const Along along(rows);
  std::vector<Line> lines;
  std::vector<std::string> pairs;
  for (const StudyRow& row : rows) {
    const Line line = along.LineOf(row);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    if (std::find(pairs.begin(), pairs.end(), row.pair) == pairs.end()) pairs.push_back(row.pair);
  }
  const double step = kPanelHeight + 72, width = 2 * kPanelWidth + kGap + kLegend;
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
    std::vector<StudyRow> once;  // where it was computed changes no error
    std::copy_if(mine.begin(), mine.end(), std::back_inserter(once), [&](const StudyRow& row) {
      return row.threads == mine.front().threads && row.device == mine.front().device;
    });
    text += Panel(
        once, lines, Escaped(pairs[p]) + ": error of V, relative", 0, y, along,
        [](const StudyRow& row) { return row.volume_error; }, true);
    text += Panel(
        mine, lines, "time of a query [s]", kPanelWidth + kGap, y, along,
        [](const StudyRow& row) { return row.seconds; }, false);
  }
  const double x = width - kLegend + 16;
  const bool differ = std::any_of(lines.begin(), lines.end(), [&](const Line& l) {
    return l.threads != lines.front().threads || l.device != lines.front().device;
  });
  const auto where = [](const Line& line) {
    return line.threads > 0 ? fmt::format(", threads: {}", line.threads) : ", " + line.device;
  };
  const auto accuracy = [&](const Line& line) {
    const bool one = std::none_of(lines.begin(), lines.end(), [&](const Line& l) {
      return l.rule == line.rule && l.tolerance != line.tolerance;
    });
    return one ? "" : fmt::format(" {:g}", line.tolerance);
  };
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const double y = 48 + 20 * static_cast<double>(k);
    text += fmt::format(
        "<path d=\"M{:.1f} {:.1f}h24\" {}/><text x=\"{:.1f}\" y=\"{:.1f}\">{}{}{}</text>\n", x, y,
        StyleOf(lines, k), x + 30, y + 4, WordOf(lines[k].rule), accuracy(lines[k]),
        differ ? where(lines[k]) : "");
  }
  return text + "</svg>\n";
}

}  // namespace intervox::host
