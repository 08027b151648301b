#include "isochor/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "isochor/base/error.h"
#include "support/data.h"
#include "support/files.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

ErrorKind kind_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::cancelled;
}

// A file is created with its content, and nothing else is left in the folder.
TEST(AtomicFile, CreatesAFile) {
  const test::TempFolder folder;
  write_file_atomically(folder / "a.txt", "hello");
  EXPECT_EQ(test::read_text(folder / "a.txt"), "hello");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

// An existing file is replaced as a whole and keeps its permissions.
TEST(AtomicFile, ReplacesAFileAndKeepsItsPermissions) {
  const test::TempFolder folder;
  write_file_atomically(folder / "a.txt", "a long first content");
  fs::permissions(folder / "a.txt", fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(folder / "a.txt", "short");
  EXPECT_EQ(test::read_text(folder / "a.txt"), "short");
  EXPECT_EQ(fs::status(folder / "a.txt").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

// A folder that does not exist, and a target that is a directory, are refused as io errors; nothing is left behind.
TEST(AtomicFile, RefusesWhatCannotBeWritten) {
  const test::TempFolder folder;
  EXPECT_EQ(kind_of([&] { write_file_atomically(folder.path() / "none" / "a.txt", "x"); }), ErrorKind::io);
  fs::create_directory(folder / "d");
  EXPECT_EQ(kind_of([&] { write_file_atomically(folder / "d", "x"); }), ErrorKind::io);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

// The file behind a link is replaced and the link stays; a device is never replaced.
TEST(AtomicFile, FollowsLinksAndSparesDevices) {
  const test::TempFolder folder;
  write_file_atomically(folder / "a", "old");
  fs::create_symlink(folder / "a", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(test::read_text(folder / "a"), "new");
  EXPECT_EQ(files_in(folder.path()), 2u);
  EXPECT_EQ(kind_of([] { write_file_atomically("/dev/null", "x"); }), ErrorKind::io);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// A transaction changes nothing before commit(), and everything with it.
TEST(FileTransaction, CommitsAllFilesTogether) {
  const test::TempFolder folder;
  write_file_atomically(folder / "a", "old");
  {
    FileTransaction transaction;
    transaction.add(folder / "a", "new");
    transaction.add(folder / "b", "new");
    EXPECT_EQ(test::read_text(folder / "a"), "old");
    EXPECT_FALSE(fs::exists(folder / "b"));
    transaction.commit();
  }
  EXPECT_EQ(test::read_text(folder / "a"), "new");
  EXPECT_EQ(test::read_text(folder / "b"), "new");
  EXPECT_EQ(files_in(folder.path()), 2u);
}

// A transaction that is dropped leaves the folder as it was.
TEST(FileTransaction, LeavesNothingBehindWithoutCommit) {
  const test::TempFolder folder;
  try {
    FileTransaction transaction;
    transaction.add(folder / "a", "x");
    transaction.add(folder.path() / "none" / "b", "x");
    ADD_FAILURE();
  } catch (const Error&) {
  }
  EXPECT_EQ(files_in(folder.path()), 0u);
}

// What a signal handler calls: temporaries that are there go, files that are complete stay.
TEST(FileTransaction, IsCleanedUpWhenStopped) {
  const test::TempFolder folder;
  write_file_atomically(folder / "done", "x");
  FileTransaction transaction;
  for (int i = 0; i < 4; ++i) transaction.add(folder / ("a" + std::to_string(i)), "x");
  EXPECT_EQ(files_in(folder.path()), 5u);
  remove_temporary_files();
  EXPECT_EQ(files_in(folder.path()), 1u);
  EXPECT_TRUE(fs::exists(folder / "done"));
}

// A file is read whole; a missing one, a directory and one above the limit are refused.
TEST(ReadFile, ReadsWholeFilesAndRefusesOthers) {
  const test::TempFolder folder;
  write_file_atomically(folder / "a", std::string(3000000, 'x'));
  EXPECT_EQ(read_file(folder / "a").size(), 3000000u);
  EXPECT_EQ(kind_of([&] { read_file(folder / "b"); }), ErrorKind::io);
  EXPECT_EQ(kind_of([&] { read_file(folder.path()); }), ErrorKind::io);
  EXPECT_EQ(kind_of([&] { read_file(folder / "a", 1000); }), ErrorKind::unsupported);
}

// Two names of one file are known as such, by way of other folders and of links, and of a file that is not there yet.
TEST(AtomicFile, SameFile) {
  const test::TempFolder here;
  write_file_atomically(here / "a", std::string_view("a"));
  write_file_atomically(here / "b", std::string_view("a"));
  fs::create_directory(here / "folder");
  fs::create_hard_link(here / "a", here / "folder" / "link");
  EXPECT_TRUE(same_file(here / "a", here / "folder" / ".." / "a"));
  EXPECT_TRUE(same_file(here / "a", here / "folder" / "link"));
  EXPECT_TRUE(same_file(here / "new", here / "folder" / ".." / "new"));
  EXPECT_FALSE(same_file(here / "a", here / "b"));
  EXPECT_FALSE(same_file(here / "a", here / "new"));
}

}  // namespace
}  // namespace isochor
