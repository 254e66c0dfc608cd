#include "geometry/primitives/outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>

#include "geometry/primitives/pieces.h"

namespace intervox::geometry {
namespace {

constexpr double kMostBulge = 100;
/** A flatter arc is a line: its bow is less than 5e-10 of its chord. */
constexpr double kStraight = 1e-9;
/** Arcs between this and a line have centres too far off to say where they are. */
constexpr double kLeastBulge = 1e-6;
/** Lengths below this share of the outline's size are zero. */
constexpr double kZero = 1e-12;
/** Arcs are halved no more often than this to keep them clear of other corners. */
constexpr int kMostHalvings = 5;

PlanePoint operator+(const PlanePoint& a, const PlanePoint& b) { return {a.x + b.x, a.y + b.y}; }
PlanePoint operator-(const PlanePoint& a, const PlanePoint& b) { return {a.x - b.x, a.y - b.y}; }
PlanePoint operator*(double s, const PlanePoint& a) { return {s * a.x, s * a.y}; }
double CrossOf(const PlanePoint& a, const PlanePoint& b) { return a.x * b.y - a.y * b.x; }
double DotOf(const PlanePoint& a, const PlanePoint& b) { return a.x * b.x + a.y * b.y; }
double Length(const PlanePoint& a) { return std::hypot(a.x, a.y); }
/** Turned left by a right angle. */
PlanePoint Left(const PlanePoint& a) { return {-a.y, a.x}; }

/** A line or an arc of at most 60° of an outline. */
struct Edge {
  PlanePoint a, b;
  double bulge = 0;
  int corner = 0;     ///< of the outline, where it begins
  PlanePoint center;  ///< of the arc
  double radius = 0;

  /** Where the tangents at its ends meet; the chord's middle for a line. */
  PlanePoint Apex() const {
    // The tangents make the angle 2 atan(bulge) with the chord.
    return 0.5 * (a + b) - (bulge / (1 - bulge * bulge)) * Left(b - a);
  }
};

/** The centre of the arc from a to b. */
PlanePoint Center(const PlanePoint& a, const PlanePoint& b, double bulge) {
  return 0.5 * (a + b) + ((1 - bulge * bulge) / (4 * bulge)) * Left(b - a);
}

/** Whether an arc bulges inwards and is deepest in its middle, along x or y: what rests in a groove
 touches it there, and should touch one part. */
bool IsGroove(const PlanePoint& a, const PlanePoint& b, double bulge) {
  const double dx = std::abs(b.x - a.x), dy = std::abs(b.y - a.y);
  return bulge < 0 && std::min(dx, dy) <= 1e-9 * std::max(dx, dy);
}

/** Lines, and arcs cut into equal ones of at most 60°/2^halvings, going round to the left. Grooves
 are not cut in their middle. */
std::vector<Edge> Divide(const std::vector<OutlinePoint>& outline, int halvings) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const OutlinePoint &p = outline[i], &q = outline[(i + 1) % outline.size()];
    const PlanePoint a{p.x, p.y}, b{q.x, q.y};
    const int corner = static_cast<int>(i);
    if (std::abs(p.bulge) < kStraight) {
      edges.push_back({a, b, 0, corner, {}, 0});
      continue;
    }
    const double angle = 4 * std::atan(std::abs(p.bulge));
    int count = static_cast<int>(std::ceil(angle / (std::numbers::pi / 3) - 1e-9)) << halvings;
    if (IsGroove(a, b, p.bulge) && count % 2 == 0) ++count;
    const PlanePoint center = Center(a, b, p.bulge);
    const double radius = Length(a - center);
    const double step = std::copysign(angle / count, p.bulge);
    PlanePoint from = a;
    for (int k = 1; k <= count; ++k) {
      const double turn = k * step;
      const PlanePoint arm = a - center;
      const PlanePoint to =
          k == count ? b : center + std::cos(turn) * arm + std::sin(turn) * Left(arm);
      edges.push_back({from, to, std::tan(0.25 * step), corner, center, radius});
      from = to;
    }
  }
  return edges;
}

/** x − sin x, without cancellation. */
double ExcessOverSine(double x) {
  if (std::abs(x) > 0.1) return x - std::sin(x);
  const double q = x * x;
  return x * q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72)));
}

/** The area inside [m²]; negative where the outline turns right. */
double Area(const std::vector<Edge>& edges) {
  double twice = 0;
  for (const Edge& e : edges) {
    const double angle = 4 * std::atan(e.bulge);
    twice +=
        CrossOf(e.a - edges.front().a, e.b - e.a) + e.radius * e.radius * ExcessOverSine(angle);
  }
  return 0.5 * twice;
}

/** The same outline the other way round. */
std::vector<OutlinePoint> Reversed(const std::vector<OutlinePoint>& outline) {
  std::vector<OutlinePoint> other(outline.rbegin(), outline.rend());
  for (std::size_t i = 0; i < other.size(); ++i) {
    other[i].bulge = -outline[(2 * outline.size() - 2 - i) % outline.size()].bulge;
  }
  return other;
}

/** A segment, or the triangle around an arc. */
std::vector<PlanePoint> Hull(const Edge& e) {
  if (e.bulge == 0) return {e.a, e.b};
  return {e.a, e.Apex(), e.b};
}

/** The least and the largest of n·p over points. */
std::pair<double, double> Range(const std::vector<PlanePoint>& points, const PlanePoint& n) {
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  for (const PlanePoint& p : points) {
    lo = std::min(lo, DotOf(n, p));
    hi = std::max(hi, DotOf(n, p));
  }
  return {lo, hi};
}

/** How far apart two convex sets are along their best edge normal [m]; negative where they share
 area, 0 where they touch. */
double Separation(const std::vector<PlanePoint>& A, const std::vector<PlanePoint>& B) {
  double best = -std::numeric_limits<double>::infinity();
  const auto along = [&](PlanePoint n) {
    const double length = Length(n);
    if (!(length > 0)) return;
    n = (1 / length) * n;
    const auto [A_lo, A_hi] = Range(A, n);
    const auto [B_lo, B_hi] = Range(B, n);
    best = std::max({best, B_lo - A_hi, A_lo - B_hi});
  };
  for (const auto* set : {&A, &B}) {
    for (std::size_t i = 0; i < set->size(); ++i) {
      const PlanePoint side = (*set)[(i + 1) % set->size()] - (*set)[i];
      along(Left(side));
      if (set->size() == 2) along(side);
    }
  }
  return best;
}

/** Two edges of the outline that may touch or cross, or nothing. */
std::optional<std::pair<int, int>> FindTouching(const std::vector<Edge>& edges, double size) {
  const int n = static_cast<int>(edges.size());
  std::vector<std::vector<PlanePoint>> hulls;
  for (const Edge& e : edges) hulls.push_back(Hull(e));
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const bool after = j == i + 1, before = i == 0 && j == n - 1;
      const double gap = Separation(hulls[i], hulls[j]);
      if (!after && !before) {
        if (gap <= kZero * size) return std::pair{i, j};
        continue;
      }
      if (gap < -kZero * size) return std::pair{i, j};
      // Neighbours share an end; lines may not go back on themselves.
      const Edge &first = after ? edges[i] : edges[j], &second = after ? edges[j] : edges[i];
      if (first.bulge != 0 || second.bulge != 0) continue;
      const PlanePoint u = first.b - first.a, v = second.b - second.a;
      const bool back = DotOf(u, v) < 0 && std::abs(CrossOf(u, v)) <= kZero * Length(u) * Length(v);
      if (back) return std::pair{i, j};
    }
  }
  return std::nullopt;
}

/** Twice the area of a triangle, positive where it turns left. */
double Turn(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  return CrossOf(b - a, c - b);
}

/** Cuts a polygon without crossings into triangles by taking off ears. Corners on a straight line
 go without an ear. */
std::vector<std::vector<int>> Triangles(const std::vector<PlanePoint>& p, double size) {
  std::vector<std::vector<int>> triangles;
  std::vector<int> rest(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) rest[i] = static_cast<int>(i);
  while (rest.size() >= 3) {
    const std::size_t n = rest.size();
    std::size_t best = n;
    double widest = -HUGE_VAL;
    for (std::size_t i = 0; i < n; ++i) {
      const int u = rest[(i + n - 1) % n], v = rest[i], w = rest[(i + 1) % n];
      if (!(Turn(p[u], p[v], p[w]) > 0)) continue;
      const bool holds = std::any_of(rest.begin(), rest.end(), [&](int k) {
        return k != u && k != v && k != w && Turn(p[u], p[v], p[k]) >= 0 &&
               Turn(p[v], p[w], p[k]) >= 0 && Turn(p[w], p[u], p[k]) >= 0;
      });
      if (holds) continue;
      // The ear whose smallest height is largest keeps parts fat.
      const double longest =
          std::max({Length(p[v] - p[u]), Length(p[w] - p[v]), Length(p[u] - p[w])});
      const double height = Turn(p[u], p[v], p[w]) / longest;
      if (height > widest) widest = height, best = i;
    }
    if (best == n) break;
    const int u = rest[(best + n - 1) % n], v = rest[best], w = rest[(best + 1) % n];
    if (widest > kZero * size) triangles.push_back({u, v, w});
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return triangles;
}

/** Joins polygons over common edges as long as they stay convex (Hertel and Mehlhorn 1983). */
std::vector<std::vector<int>> JoinConvex(const std::vector<PlanePoint>& p,
                                         std::vector<std::vector<int>> polygons) {
  for (bool joined = true; joined;) {
    joined = false;
    std::map<std::pair<int, int>, std::size_t> owner;
    for (std::size_t k = 0; k < polygons.size(); ++k) {
      for (std::size_t i = 0; i < polygons[k].size(); ++i) {
        owner[{polygons[k][i], polygons[k][(i + 1) % polygons[k].size()]}] = k;
      }
    }
    for (const auto& [edge, k] : owner) {
      const auto other = owner.find({edge.second, edge.first});
      if (other == owner.end()) continue;
      // Both begin behind their common edge.
      std::vector<int> A = polygons[k], B = polygons[other->second];
      std::rotate(A.begin(), std::find(A.begin(), A.end(), edge.second), A.end());
      std::rotate(B.begin(), std::find(B.begin(), B.end(), edge.first), B.end());
      const bool convex = Turn(p[A.end()[-2]], p[edge.first], p[B[1]]) > 0 &&
                          Turn(p[B.end()[-2]], p[edge.second], p[A[1]]) > 0;
      if (!convex) continue;
      A.insert(A.end(), B.begin() + 1, B.end() - 1);
      polygons[k] = std::move(A);
      polygons.erase(polygons.begin() + static_cast<std::ptrdiff_t>(other->second));
      joined = true;
      break;
    }
  }
  return polygons;
}

/** The sides of a convex polygon; corners on a straight line are left out. */
std::vector<OutlineLine> LinesOf(const std::vector<PlanePoint>& p, const std::vector<int>& convex) {
  std::vector<PlanePoint> corners;
  for (std::size_t i = 0; i < convex.size(); ++i) {
    const PlanePoint &u = p[convex[(i + convex.size() - 1) % convex.size()]], &v = p[convex[i]],
                     &w = p[convex[(i + 1) % convex.size()]];
    if (Turn(u, v, w) > kZero * Length(v - u) * Length(w - v)) corners.push_back(v);
  }
  std::vector<OutlineLine> lines;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    lines.push_back({corners[i], corners[(i + 1) % corners.size()]});
  }
  return lines;
}

/** Whether p is not right of any line. */
bool Holds(const std::vector<OutlineLine>& lines, const PlanePoint& p, double tolerance) {
  return std::all_of(lines.begin(), lines.end(), [&](const OutlineLine& l) {
    return CrossOf(l.b - l.a, p - l.a) >= -tolerance * Length(l.b - l.a);
  });
}

/** Cuts the inside into parts. Arcs that bulge inwards are taken by their tangents where that is
 said, else by chords. @returns the parts; none where more arcs must be taken by tangents, which are
 then marked; nothing where the polygon is not simple. */
std::optional<std::vector<OutlinePart>> CutUp(const std::vector<Edge>& edges, double size,
                                              std::vector<bool>* by_tangents) {
  std::vector<PlanePoint> polygon;
  std::vector<OutlinePart> parts;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Edge& e = edges[k];
    polygon.push_back(e.a);
    if (e.bulge > 0) parts.push_back({{{e.b, e.a}}, {{1, e.center, e.radius}}});
    if (!(*by_tangents)[k]) continue;
    const PlanePoint apex = e.Apex();
    polygon.push_back(apex);
    parts.push_back({{{apex, e.a}, {e.a, e.b}, {e.b, apex}}, {{-1, e.center, e.radius}}});
  }
  double missing = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    missing += CrossOf(polygon[i] - polygon[0], polygon[(i + 1) % polygon.size()] - polygon[i]);
  }
  const std::vector<std::vector<int>> triangles = Triangles(polygon, size);
  for (const auto& t : triangles) missing -= Turn(polygon[t[0]], polygon[t[1]], polygon[t[2]]);
  if (std::abs(missing) > 1e-9 * size * size) return std::nullopt;
  std::vector<OutlinePart> convex_parts;
  for (const std::vector<int>& convex : JoinConvex(polygon, triangles)) {
    convex_parts.push_back({LinesOf(polygon, convex), {}});
  }
  bool is_done = true;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Edge& e = edges[k];
    if (!(e.bulge < 0) || (*by_tangents)[k]) continue;
    const auto holder =
        std::find_if(convex_parts.begin(), convex_parts.end(), [&](const OutlinePart& part) {
          return Holds(part.lines, e.a, kZero * size) && Holds(part.lines, e.b, kZero * size) &&
                 Holds(part.lines, e.Apex(), kZero * size);
        });
    if (holder == convex_parts.end()) {
      (*by_tangents)[k] = true;
      is_done = false;
    } else {
      holder->circles.push_back({-1, e.center, e.radius});
    }
  }
  if (!is_done) return std::vector<OutlinePart>{};
  parts.insert(parts.end(), convex_parts.begin(), convex_parts.end());
  if (parts.empty()) return std::nullopt;
  return parts;
}

void RequireCorners(const std::vector<OutlinePoint>& outline, const std::string& place) {
  const std::size_t arcs = std::count_if(outline.begin(), outline.end(),
                                         [](const OutlinePoint& p) { return p.bulge != 0; });
  if (outline.size() < 2 || (outline.size() == 2 && arcs < 1)) {
    Refuse(place, "the number of corners", static_cast<double>(outline.size()),
           "Give three, or two with an arc between them.");
  }
  if (outline.size() > static_cast<std::size_t>(kMostOutlinePoints)) {
    Refuse(place, "the number of corners", static_cast<double>(outline.size()),
           "Give at most 1000; one arc takes the place of many lines.");
  }
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const std::string name = "outline[" + std::to_string(i) + "]";
    RequirePosition(place, name, {outline[i].x, outline[i].y, 0});
    if (!(std::abs(outline[i].bulge) <= kMostBulge)) {
      Refuse(place, name + "[2]", outline[i].bulge,
             "A bulge is the tangent of a quarter of an arc's angle, at most 100 in size.");
    }
    if (std::abs(outline[i].bulge) >= kStraight && std::abs(outline[i].bulge) < kLeastBulge) {
      Refuse(place, name + "[2]", outline[i].bulge,
             "An arc so flat is a line: give 0, or 1e-6 or more in size.");
    }
    const OutlinePoint& next = outline[(i + 1) % outline.size()];
    if (std::hypot(next.x - outline[i].x, next.y - outline[i].y) < kSmallestLength) {
      throw std::invalid_argument(place + ": " + name +
                                  " and the corner after it are one point. Remove one of them; "
                                  "the last corner joins the first by itself.");
    }
  }
}

/** Of the corners, and of the circles of arcs as far as they reach. */
double SizeOf(const std::vector<Edge>& edges) {
  double size = 0;
  for (const Edge& e : edges) size = std::max({size, Length(e.a - edges[0].a), 2 * e.radius});
  return size;
}

/** The largest distance of a corner from the first one [m]. */
double ExtentOf(const std::vector<Edge>& edges) {
  double extent = 0;
  for (const Edge& e : edges) extent = std::max(extent, Length(e.a - edges[0].a));
  return extent;
}

}  // namespace

std::vector<OutlinePart> OutlineParts(const std::vector<OutlinePoint>& given,
                                      const std::string& place) {
  RequireCorners(given, place);
  const double area = Area(Divide(given, 0));
  const std::vector<OutlinePoint> outline = area < 0 ? Reversed(given) : given;
  std::vector<Edge> edges;
  std::optional<std::pair<int, int>> touching;
  for (int halvings = 0; halvings <= kMostHalvings; ++halvings) {
    edges = Divide(outline, halvings);
    touching = FindTouching(edges, SizeOf(edges));
    if (!touching) break;
  }
  const double size = SizeOf(edges);
  const auto refuse = [&](const PlanePoint& p) {
    throw std::invalid_argument(place + ": the outline touches or crosses itself near (" +
                                std::to_string(p.x) + ", " + std::to_string(p.y) +
                                "), or encloses no area. Give one that goes round once.");
  };
  const double extent = ExtentOf(edges);
  if (touching || !(std::abs(area) > kZero * extent * extent)) {
    refuse(edges[touching.value_or(std::pair{0, 0}).second].a);
  }
  std::vector<bool> by_tangents(edges.size(), false);
  for (;;) {
    std::optional<std::vector<OutlinePart>> parts = CutUp(edges, size, &by_tangents);
    if (!parts) refuse(edges.front().a);
    if (!parts->empty()) return *parts;
  }
}

}  // namespace intervox::geometry
