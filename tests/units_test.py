#!/usr/bin/python3
"""Sources that are compiled as one have no name of their own in common."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import units  # noqa: E402


class Units(unittest.TestCase):
    def test_names(self):
        text = """namespace a {
void Public();
namespace {
// Not kNothing = 1.
constexpr double kFirst = 1, kSecond = 2;  // not kNo = 3
struct Row : Other {
  int inner = 0;
};
using Clock = std::chrono::steady_clock;
using testing::Random;
namespace fs = std::filesystem;
template <class T>
std::vector<T> ManyOf(const T& one) {
  const T within = one;
  return {within};
}
int Row::Count() const { return 1; }
std::array<double, 3> table[2];
enum Place { kHere,
  kThere = 2 };
enum class Scoped { kWithin };
TEST(Suite, Name) {}
}  // namespace
double After(double x) { return x; }
}  // namespace a
"""
        self.assertEqual(units.own_names(text), {"kFirst", "kSecond", "Row", "Clock", "ManyOf", "table", "Place", "kHere",
                                                "kThere", "Scoped"})

    def test_no_name_of_two(self):
        names = [{"a"}, {"b"}, {"a", "c"}, set(), {"c"}, {"d"}, {"e"}]
        self.assertEqual(units.units([(own, set(), 0) for own in names], 3), [0, 0, 1, 0, 2, 1, 1])

    def test_no_name_of_a_header_of_another(self):
        self.assertEqual(units.units([({"a"}, set(), 0), (set(), {"a"}, 0)], 3), [0, 1])
        self.assertEqual(units.units([(set(), {"a"}, 0), ({"a"}, set(), 0)], 3), [0, 1])
        # Even where it sees the header too, and so hides the name from the other.
        self.assertEqual(units.units([(set(), {"a"}, 0), ({"a"}, {"a"}, 0)], 3), [0, 1])

    def test_no_more_than_the_size(self):
        self.assertEqual(units.units([(set(), set(), 0)] * 5, 2), [0, 0, 1, 1, 2])

    def test_one_kind(self):
        self.assertEqual(units.units([(set(), set(), kind) for kind in "aab"], 3), [0, 0, 1])
        tests = units.BASE / "tests" / "host"
        self.assertEqual(units.testing_namespaces(tests / "files.h"), frozenset())
        self.assertIn("intervox::testing", units.testing_namespaces(tests / "scene_text.h"))

    def test_headers_of_headers(self):
        source = units.BASE / "host" / "world" / "world.cpp"
        self.assertIn("Vec3", units.seen_names(source))
        self.assertIn("Outcome", units.seen_names(units.BASE / "tests" / "host" / "cli_help_test.cpp"))  # of cli_call.h
        self.assertNotIn("Vec3", units.own_names(source.read_text()))


unittest.main()
