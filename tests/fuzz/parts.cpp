// fuzz_parts [COUNT] [--seed N] [--keep FOLDER]: reads COUNT mutated part files and grids, 20,000
// by default. Each must be taken, or refused with a message that names it, within ten seconds of
// processor time, 2 µs more for each voxel of a grid, and 12 GiB. They are read by the thousand in
// one process, and where one crashes the next process goes on behind it. Ends with 1, and keeps the
// files, where any fails.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "geometry/openvdb/level_set_grid.h"
#include "geometry/openvdb/rasterize.h"
#include "geometry/shape.h"
#include "host/input/error.h"
#include "host/mesh/triangulate.h"
#include "host/mesh/write.h"
#include "host/parts/part.h"
#include "host/scene/grids.h"
#include "tests/host/parts_files.h"
#ifdef INTERVOX_HAS_ASSIMP
#include "host/parts/assimp/assimp.h"
#endif

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 10;
constexpr double kSecondsOfVoxel = 2e-6;  ///< more, for each voxel of a grid
constexpr int kClockSeconds = 1000;       ///< of a file that hangs without work
constexpr rlim_t kMostBytes = rlim_t{12} << 30;
constexpr int kAtOnce = 1000;  ///< files of one process
constexpr int kKinds = 16;

/** An unharmed file. */
struct Seed {
  std::string extension;
  std::string bytes;
};

/** What a process leaves for the one that watches it. */
struct Board {
  int current = 0;
  int taken[kKinds], refused[kKinds], failed[kKinds];
  double slowest[kKinds];
};

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/** Files that libraries write are made in another process: a fork must not follow their threads. */
void WriteSeedsOfLibraries(const fs::path& folder) {
  if (const pid_t child = fork(); child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  geometry::Shape ball;
  ball.primitive = geometry::Sphere{0.01};
  const std::vector<geometry::Cell> cells = geometry::ToCells(ball);
  geometry::Rasterize(cells, 2e-3, 3, "ball", folder / "ball.vdb");
  geometry::Rasterize(cells, 2e-3, 3, "ball", folder / "ball.nvdb");
  const auto mesh = std::make_shared<const Triangles>(Triangulate(cells, 1e-3));
  const std::vector<PlacedMesh> placed{{.name = "ball", .mesh = mesh}};
  WriteMeshes(folder / "ball.glb", {.name = "balls", .meshes = placed});
  _exit(0);
}

std::vector<Seed> Seeds(const fs::path& folder) {
  const TriangleMesh brick = BoxMesh({0, 0, 0}, {0.3, 0.2, 0.1});
  std::vector<Seed> seeds{
      {".obj", ObjText({brick})},
      {".obj", ObjText({EllMesh(), brick})},
      {".stl", StlText({brick})},
      {".stl", StlBytes(brick)},
      {".stl", StlBytes(EllMesh())},
      {".ply", PlyBytes(brick, "ascii")},
      {".ply", PlyBytes(EllMesh(), "binary_little_endian")},
      {".ply", PlyBytes(brick, "binary_big_endian")},
      {".csg",
       "difference() { cube(size = [1, 2, 3], center = true); multmatrix([[1, 0, 0, 1], [0, 2, 0, "
       "0], [0, 0, 1, 0], [0, 0, 0, 1]]) { sphere($fn = 0, r = 1); cylinder($fn = 6, h = 1, r1 = "
       "1, r2 = 0.5); } }\n"}};
  WriteSeedsOfLibraries(folder);
  seeds.push_back({".vdb", Read(folder / "ball.vdb")});
  seeds.push_back({".nvdb", Read(folder / "ball.nvdb")});
#ifdef INTERVOX_HAS_ASSIMP
  seeds.push_back({".glb", Read(folder / "ball.glb")});
  const fs::path box = "/usr/share/assimp/models/3MF/box.3mf";
  if (fs::exists(box)) {
    seeds.push_back({".3mf", Read(box)});
  } else {
    std::printf("no .3mf: %s is missing (Debian: assimp-testmodels)\n", box.c_str());
  }
#else
  std::printf("no .glb and no .3mf: built without assimp\n");
#endif
  return seeds;
}

std::string Mutated(std::string data, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    if (data.empty()) data = "x";
    const std::size_t at = below(data.size() + 1), some = below(41);
    switch (below(14)) {
      case 0:
        data.erase(at, some);
        break;
      case 1:
        data.insert(at, data.substr(at, some));
        break;
      case 2:
        data.resize(at);
        break;
      case 3: {
        const std::array<std::string, 6> words{
            "nan", "1e999", "-1", "4294967295", std::string(8, '\xff'), std::string(64, '\0')};
        data.insert(at, words[below(words.size())]);
        break;
      }
      case 4:
      case 5:  // a size that lies
        for (std::size_t k = at; k < std::min(at + 4, data.size()); ++k) data[k] = '\x7f';
        break;
      case 6:
        for (std::size_t k = at; k < std::min(at + 8, data.size()); ++k) data[k] = '\0';
        break;
      default:
        data[below(data.size())] = static_cast<char>(random());
    }
  }
  return data;
}

double ProcessorSeconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime}) {
      sum += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    }
  }
  return sum;
}

/** Reads one file as scenes do; throws where it is refused. @returns the voxels of a grid. */
double Take(const fs::path& path, std::mt19937_64& random) {
  if (IsLevelSet(path)) {
    geometry::ToCells(GridFromFile(path));
    return 0;
  }
  PartOptions options;
  options.repair = path.extension() != ".csg" && random() % 2 == 0;
  // A hundredth of the diagonal is finer, and slower.
  if (random() % 32 != 0) options.voxel_size = 0.04;
  const Part part = ReadPart(path, options, "part");
  geometry::ToCells(*part.shape);
  const auto& field = part.shape->grid.field;
  return field == nullptr ? 0 : static_cast<double>(field->active);
}

/** Reads the files from `first` on; does not return. */
[[noreturn]] void Work(const std::vector<Seed>& seeds, const fs::path& folder, unsigned seed,
                       int first, int end, Board* board) {
  const rlimit memory{kMostBytes, kMostBytes};
  setrlimit(RLIMIT_AS, &memory);
  for (int k = first; k < end; ++k) {
    board->current = k;
    std::mt19937_64 random(1000003ull * seed + static_cast<unsigned>(k));
    const std::size_t kind = random() % seeds.size();
    const fs::path path = folder / ("part_" + std::to_string(k) + seeds[kind].extension);
    std::ofstream(path, std::ios::binary) << Mutated(seeds[kind].bytes, random);
    alarm(kClockSeconds);
    const double begin = ProcessorSeconds();
    bool is_good = true;
    double most = kMostSeconds;
    try {
      most += kSecondsOfVoxel * Take(path, random);
      ++board->taken[kind];
    } catch (const InputError& refusal) {
      is_good = std::strstr(refusal.what(), "part_") != nullptr;
      ++board->refused[kind];
    } catch (const std::invalid_argument& refusal) {
      is_good = std::strlen(refusal.what()) > 0;
      ++board->refused[kind];
    } catch (const std::exception& error) {
      std::printf("%s: exception: %s\n", path.c_str(), error.what());
      is_good = false;
    }
    const double seconds = ProcessorSeconds() - begin;
    if (seconds > most) std::printf("%s: %.1f s\n", path.c_str(), seconds);
    board->slowest[kind] = std::max(board->slowest[kind], seconds);
    if (!is_good || seconds > most) {
      ++board->failed[kind];
    } else {
      fs::remove(path);
    }
  }
  std::fflush(stdout);
  _exit(0);
}

int Main(int count, unsigned seed, const fs::path& folder) {
  fs::create_directories(folder);
  SetMeshGridder(geometry::LevelSetOfMesh);
  SetGridReader([](const fs::path& path, const geometry::RangeLoop& loop) {
    geometry::VdbLevelSet read = geometry::ReadVdb(path, loop);
    return GridFile{std::move(read.field), read.p_FG};
  });
#ifdef INTERVOX_HAS_ASSIMP
  SetSceneFileReader(ReadByAssimp);
#endif
  const std::vector<Seed> seeds = Seeds(folder);
  auto* board = static_cast<Board*>(
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  *board = {};
  int crashed = 0;
  for (int next = 0; next < count;) {
    std::fflush(stdout);
    const int end = std::min(count, next + kAtOnce);
    const pid_t child = fork();
    if (child == 0) Work(seeds, folder, seed, next, end, board);
    int status = 0;
    waitpid(child, &status, 0);
    next = end;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    std::printf("part_%d: %s %d\n", board->current, WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    ++crashed;
    next = board->current + 1;
  }
  int failed = crashed;
  std::map<std::string, std::array<int, 2>> sums;
  std::map<std::string, double> slowest;
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    sums[seeds[k].extension][0] += board->taken[k];
    sums[seeds[k].extension][1] += board->refused[k];
    slowest[seeds[k].extension] = std::max(slowest[seeds[k].extension], board->slowest[k]);
    failed += board->failed[k];
  }
  std::printf("| file | taken | refused | slowest [s] |\n| --- | --- | --- | --- |\n");
  for (const auto& [extension, sum] : sums) {
    std::printf("| `%s` | %d | %d | %.2f |\n", extension.c_str(), sum[0], sum[1],
                slowest[extension]);
  }
  std::printf("%d files, seed %u: %d failed, %.0f s of processor time\n", count, seed, failed,
              ProcessorSeconds());
  if (failed == 0) {
    fs::remove_all(folder);
  } else {
    std::printf("they are in %s\n", folder.c_str());
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace intervox::host

int main(int argc, char** argv) {
  int count = 20000;
  unsigned seed = 1;
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("intervox_fuzz_parts_" + std::to_string(getpid()));
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seed" && i + 1 < argc) {
      seed = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (word == "--keep" && i + 1 < argc) {
      folder = argv[++i];
    } else if (const int number = std::atoi(argv[i]); number > 0) {
      count = number;
    } else {
      std::fprintf(stderr, "usage: fuzz_parts [COUNT] [--seed N] [--keep FOLDER]\n");
      return 2;
    }
  }
  return intervox::host::Main(count, seed, folder);
}
