// Columns in HDF5: what is put comes back, with units, after a kill and after a resume.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "host/input/error.h"
#include "host/results/column_file.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

fs::path Fresh(const std::string& name) {
  const fs::path path = fs::path(testing::TempDir()) / name;
  fs::remove(path);
  return path;
}

TEST(ColumnFile, RowsAndUnitsComeBack) {
  const fs::path path = Fresh("intervox_columns.h5");
  {
    ColumnFile file = ColumnFile::Create(path);
    const int a = file.Column("bodies/a b/position", 3, "m");
    const int n = file.Column("patches/id", 1, "1", true);
    for (int i = 0; i < 10000; ++i) {
      file.Put(a, std::array<double, 3>{1.0 * i, 0.1 * i, -1.0});
      file.PutInteger(n, i * 1000000007LL);
      if (i == 5) file.Flush();
    }
    file.SetAttribute("scene", std::string("α: 1\n"));
    file.SetAttribute("seed", 4.0);
    file.Flush();
  }
  const ColumnFile file = ColumnFile::Read(path);
  const std::vector<double> a = file.Values("bodies/a b/position");
  ASSERT_EQ(a.size(), 30000u);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(a[static_cast<std::size_t>(3 * i + 1)], 0.1 * i);
  EXPECT_EQ(file.Values("patches/id")[9999], 9999 * 1000000007.0);
  EXPECT_EQ(file.Attribute("scene"), "α: 1\n");
  EXPECT_EQ(file.Attribute("absent"), "");
  const std::vector<ColumnInfo> columns = file.Columns();
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].units, "m");
  EXPECT_EQ(columns[0].width, 3);
  EXPECT_EQ(columns[0].rows, 10000);
  EXPECT_TRUE(columns[1].integer);
}

// Columns of few rows take few bytes, however many there are, and go on beyond what was expected.
TEST(ColumnFile, ManyColumnsOfFewRowsAreSmall) {
  const fs::path path = Fresh("intervox_many_columns.h5");
  {
    ColumnFile file = ColumnFile::Create(path);
    file.Reserve("bodies", 1000, 4);
    file.Reserve("bodies", 1000, 4);  // is there
    file.ExpectRows(3);
    std::vector<int> columns;
    for (int k = 0; k < 1000; ++k) {
      columns.push_back(file.Column("bodies/b" + std::to_string(k) + "/position", 3, "m"));
    }
    for (int row = 0; row < 5; ++row) {
      for (const int c : columns) file.Put(c, std::array<double, 3>{1.0 * row, 1.0 * c, 2.0});
      file.Flush();
    }
    EXPECT_EQ(file.Column("bodies/b7/position", 3, "m"), columns[7]);
  }
  EXPECT_LT(fs::file_size(path), 6U << 20);
  const ColumnFile file = ColumnFile::Read(path);
  EXPECT_EQ(file.Columns().size(), 1000U);
  const std::vector<double> values = file.Values("bodies/b7/position");
  ASSERT_EQ(values.size(), 15U);
  EXPECT_EQ(values[12], 4.0);
  EXPECT_EQ(values[13], 7.0);
}

// The C API is an independent witness of the layout.
TEST(ColumnFile, IsChunkedDoublesWithAUnitsAttribute) {
  const fs::path path = Fresh("intervox_layout.h5");
  {
    ColumnFile file = ColumnFile::Create(path);
    file.Put(file.Column("energy/kinetic", 1, "J"), 2.5);
  }
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "/energy/kinetic", H5P_DEFAULT);
  ASSERT_GE(dataset, 0);
  const hid_t creation = H5Dget_create_plist(dataset);
  EXPECT_EQ(H5Pget_layout(creation), H5D_CHUNKED);
  EXPECT_GT(H5Aexists(dataset, "units"), 0);
  double value = 0;
  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  EXPECT_EQ(value, 2.5);
  H5Pclose(creation);
  H5Dclose(dataset);
  H5Fclose(file);
}

TEST(ColumnFile, KeepsTextsOfAnyLength) {
  const fs::path path = Fresh("intervox_texts.h5");
  const std::string long_text(300000, 'x');
  {
    ColumnFile file = ColumnFile::Create(path);
    file.SetAttribute("empty", std::string());
    file.SetAttribute("long", std::string("short at first"));
    file.SetAttribute("long", long_text);
    file.SetAttribute("utf8", std::string("µm → m³"));
  }
  const ColumnFile file = ColumnFile::Read(path);
  EXPECT_EQ(file.Attribute("empty"), "");
  EXPECT_EQ(file.Attribute("long"), long_text);
  EXPECT_EQ(file.Attribute("utf8"), "µm → m³");
}

TEST(ColumnFile, TruncateAndGoOnEqualsOneRun) {
  const fs::path path = Fresh("intervox_truncate.h5");
  {
    ColumnFile file = ColumnFile::Create(path);
    const int c = file.Column("x", 1, "m");
    for (int i = 0; i < 100; ++i) file.Put(c, i);
  }
  {
    ColumnFile file = ColumnFile::Append(path);
    const int c = file.Column("x", 1, "m");
    file.Truncate(c, 40);
    for (int i = 40; i < 60; ++i) file.Put(c, 10.0 * i);
    file.Truncate(c, 40);  // drops what is in memory too
    for (int i = 40; i < 80; ++i) file.Put(c, i);
  }
  const std::vector<double> x = ColumnFile::Read(path).Values("x");
  ASSERT_EQ(x.size(), 80u);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], static_cast<double>(i));
}

TEST(ColumnFile, CutToNothingAndWrittenAnew) {
  const fs::path path = Fresh("intervox_replace.h5");
  {
    ColumnFile file = ColumnFile::Create(path);
    const int c = file.Column("x", 1, "m");
    file.Put(c, std::array<double, 3>{1, 2, 3});
    file.Flush();
    file.Truncate(c, 0);
    file.Put(c, std::array<double, 2>{4, 5});
  }
  EXPECT_EQ(ColumnFile::Read(path).Values("x"), (std::vector<double>{4, 5}));
}

TEST(ColumnFile, AKilledWriterLosesNoFlushedRow) {
  const fs::path path = Fresh("intervox_killed.h5");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ColumnFile file = ColumnFile::Create(path);
    const int c = file.Column("bodies/ball/position", 3, "m");
    for (int i = 0;; ++i) {
      file.Put(c, std::array<double, 3>{1.0 * i, 2.0 * i, 3.0 * i});
      if (i == 50000) {
        file.Flush();
        const char done = 1;
        if (write(ready[1], &done, 1) != 1) _exit(1);
      }
      if (i > 60000) usleep(100);  // unflushed rows pile up until the kill
    }
  }
  char done = 0;
  ASSERT_EQ(read(ready[0], &done, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const std::vector<double> rows = ColumnFile::Read(path).Values("bodies/ball/position");
  ASSERT_GE(rows.size(), 3u * 50001u);
  for (std::size_t i = 0; i <= 50000; ++i) ASSERT_EQ(rows[3 * i + 2], 3.0 * static_cast<double>(i));
}

// What stands at the path is the last flush, whole, for who has it open already too.
TEST(ColumnFile, TheFileAtThePathIsAlwaysWhole) {
  const fs::path path = Fresh("intervox_whole.h5");
  {
    ColumnFile file = ColumnFile::Create(path);
    const int c = file.Column("x", 1, "m");
    file.Put(c, 1);
    EXPECT_FALSE(fs::exists(path));
    file.Flush();
    const ColumnFile reader = ColumnFile::Read(path);
    for (int i = 2; i < 5000; ++i) file.Put(c, i);
    file.Spill();
    EXPECT_EQ(ColumnFile::Read(path).Values("x").size(), 1u);
    file.Flush();
    EXPECT_EQ(ColumnFile::Read(path).Values("x").size(), 4999u);
    EXPECT_EQ(reader.Values("x"), std::vector<double>{1});
    const std::function<void()> sync = file.PrepareFlush();
    file.Put(c, 5000);  // may come while another thread syncs
    sync();
    EXPECT_EQ(ColumnFile::Read(path).Values("x").size(), 4999u);
  }
  EXPECT_EQ(ColumnFile::Read(path).Values("x").size(), 5000u);
  EXPECT_FALSE(fs::exists(path.string() + ".part"));
  EXPECT_FALSE(fs::exists(path.string() + ".lock"));
}

TEST(ColumnFile, AFlushThatFailsLosesNothingThatWasThereAndIsNotForgotten) {
  const fs::path path = Fresh("intervox_failed.h5");
  ColumnFile file = ColumnFile::Create(path);
  const int c = file.Column("x", 1, "m");
  file.Put(c, 1);
  file.Flush();
  file.Put(c, 2);
  const std::function<void()> sync = file.PrepareFlush();
  fs::remove(path.string() + ".part");
  EXPECT_THROW(sync(), std::runtime_error);
  EXPECT_EQ(ColumnFile::Read(path).Values("x"), std::vector<double>{1});
  // The row that was lost may not be passed over.
  file.Put(c, 3);
  EXPECT_THROW(file.Flush(), std::runtime_error);
  EXPECT_EQ(ColumnFile::Read(path).Values("x"), std::vector<double>{1});
}

TEST(ColumnFile, ManyFlushesDoNotMakeItGrow) {
  const fs::path path = Fresh("intervox_flushes.h5");
  {
    ColumnFile file = ColumnFile::Create(path);
    std::vector<int> columns;
    for (int k = 0; k < 20; ++k) columns.push_back(file.Column("x" + std::to_string(k), 1, "m"));
    for (int i = 0; i < 200; ++i) {
      file.Truncate(columns[0], 0);  // written anew each time, as impacts are
      for (const int column : columns) file.Put(column, i);
      file.Flush();
    }
  }
  EXPECT_LT(fs::file_size(path), 20u * 40000u);
  EXPECT_EQ(ColumnFile::Read(path).Values("x0"), std::vector<double>{199});
  EXPECT_EQ(ColumnFile::Read(path).Values("x1").size(), 200u);
}

TEST(ColumnFile, OneWriterAtATime) {
  const fs::path path = Fresh("intervox_writers.h5");
  ColumnFile first = ColumnFile::Create(path);
  first.Put(first.Column("x", 1, "m"), 1);
  first.Flush();
  EXPECT_THROW(ColumnFile::Create(path), InputError);
  EXPECT_THROW(ColumnFile::Append(path), InputError);
  EXPECT_EQ(ColumnFile::Read(path).Values("x").size(), 1u);
}

TEST(ColumnFile, ALinkIsFollowed) {
  const fs::path target = Fresh("intervox_target.h5"), link = Fresh("intervox_link.h5");
  fs::create_symlink(target, link);
  {
    ColumnFile file = ColumnFile::Create(link);
    file.Put(file.Column("x", 1, "m"), 1);
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(ColumnFile::Read(target).Values("x").size(), 1u);
}

TEST(ColumnFile, RefusesWhatItCannotWriteOrRead) {
  EXPECT_THROW(ColumnFile::Create("/nowhere/x.h5"), InputError);
  EXPECT_THROW(ColumnFile::Create(testing::TempDir()), InputError);
  EXPECT_THROW(ColumnFile::Create("/proc/x.h5"), InputError);
  EXPECT_THROW(ColumnFile::Read("/nowhere/x.h5"), InputError);
  const fs::path path = Fresh("intervox_text.h5");
  std::ofstream(path) << "no HDF5 file";
  EXPECT_THROW(ColumnFile::Read(path), InputError);
  EXPECT_THROW(ColumnFile::Append(path), InputError);
  const fs::path cut = Fresh("intervox_cut.h5");
  {
    ColumnFile file = ColumnFile::Create(cut);
    const int c = file.Column("x", 1, "m");
    for (int i = 0; i < 10000; ++i) file.Put(c, i);
    file.Flush();
  }
  fs::resize_file(cut, fs::file_size(cut) / 2);
  EXPECT_THROW(ColumnFile::Read(cut), InputError);
  const fs::path good = Fresh("intervox_good.h5");
  ColumnFile file = ColumnFile::Create(good);
  file.Column("x", 1, "m");
  EXPECT_THROW(file.Values("y"), InputError);
}

}  // namespace
}  // namespace intervox::host
