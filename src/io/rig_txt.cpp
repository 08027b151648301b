#include "isochor/io/rig_txt.h"

#include <algorithm>
#include <map>
#include <set>

#include "io/positioned_skeleton.h"
#include "io/text.h"

namespace isochor {

namespace {

using text::throw_at;

class RigParser {
 public:
  /// Joints first, since `hier` and `skin` lines may stand before them.
  RigText parse(std::string_view text) {
    for_statements(text, [this](std::string_view word, std::string_view rest) {
      if (word == "joints" || word == "joint") joint(rest);
    });
    if (rig_.names.empty()) throw_bad_input("the rig has no joint: there is no line \"joints NAME X Y Z\"");
    rig_.parents.assign(rig_.names.size(), kNone);
    for_statements(text, [this](std::string_view word, std::string_view rest) {
      if (word == "hier") {
        hier(rest);
      } else if (word == "skin") {
        skin(rest);
      } else if (word == "root") {
        roots_.push_back(known(rest));
      } else if (word != "joints" && word != "joint") {
        throw_at(line_, text::quoted(word) + " is not one of joints, root, hier, skin");
      }
    });
    check_roots();
    put_parents_first();
    collect_rows();
    return std::move(rig_);
  }

 private:
  template <class Visit>
  void for_statements(std::string_view text, Visit&& visit) {
    text::Lines lines(text);
    std::string_view rest;
    while (lines.next(rest)) {
      line_ = lines.number();
      const std::string_view word = text::take_word(rest);
      if (!word.empty() && word.front() != '#') visit(word, rest);
    }
  }

  void joint(std::string_view rest) {
    const std::string name(text::take_word(rest));
    if (name.empty()) throw_at(line_, "a joint has no name");
    if (!index_of_.emplace(name, static_cast<Index>(rig_.names.size())).second) {
      throw_at(line_, "the joint " + text::quoted(name) + " stands twice");
    }
    rig_.names.push_back(name);
    rig_.positions.push_back(text::take_vec3(rest, line_, "a joint"));
  }

  Index known(std::string_view& rest) const {
    const std::string_view name = text::take_word(rest);
    const auto found = index_of_.find(name);
    if (found == index_of_.end()) throw_at(line_, "there is no joint " + text::quoted(name));
    return found->second;
  }

  void hier(std::string_view rest) {
    const Index parent = known(rest);
    const Index child = known(rest);
    if (rig_.parents[child] != kNone) {
      throw_at(line_, "the joint " + text::quoted(rig_.names[child]) + " has a parent already");
    }
    rig_.parents[child] = parent;
  }

  void skin(std::string_view rest) {
    const std::string_view word = text::take_word(rest);
    const auto vertex = text::to_integer(word);
    if (!vertex || *vertex < 0 || *vertex > std::numeric_limits<Index>::max()) {
      throw_at(line_, text::quoted(word) + " stands where a vertex index should");
    }
    rows_.push_back({static_cast<Index>(*vertex), static_cast<Index>(influences_.size()), 0});
    while (!text::trim(rest).empty()) {
      const Index joint = known(rest);
      const std::string_view number = text::take_word(rest);
      // A weight may be NaN: files have that, and it is repaired later. It may not be something else.
      const auto weight = text::to_double(number);
      if (!weight) throw_at(line_, text::quoted(number) + " stands where a weight should");
      influences_.push_back({joint, *weight});
    }
    rows_.back().end = static_cast<Index>(influences_.size());
  }

  void check_roots() {
    ProblemCollector with_parent;
    for (const Index root : roots_) {
      if (rig_.parents[root] != kNone) with_parent.add(root);
    }
    with_parent.report(rig_.problems, Severity::warning, "root-has-parent",
                       "{} joint{|s} {is|are} called root but {has|have} a parent: {it keeps|they keep} it");
  }

  void put_parents_first() {
    const std::vector<Index> order = parents_first(rig_.parents);
    std::vector<Index> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<Index>(i);
    RigText sorted;
    for (const Index old : order) {
      sorted.names.push_back(rig_.names[old]);
      sorted.positions.push_back(rig_.positions[old]);
      sorted.parents.push_back(rig_.parents[old] == kNone ? kNone : place[rig_.parents[old]]);
    }
    sorted.problems = std::move(rig_.problems);
    rig_ = std::move(sorted);
    for (Influence& influence : influences_) influence.joint = place[influence.joint];
  }

  void collect_rows() {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.vertex < b.vertex; });
    ProblemCollector repeated;
    for (const Row& row : rows_) {
      if (!rig_.vertices.empty() && rig_.vertices.back() == row.vertex) {
        repeated.add(row.vertex);
        rig_.weights.begin.pop_back();
      } else {
        rig_.vertices.push_back(row.vertex);
      }
      rig_.weights.add_row({influences_.data() + row.begin, influences_.data() + row.end});
    }
    repeated.report(rig_.problems, Severity::warning, "skin-rows-repeated",
                    "{} skin line{|s} name{s|} a vertex that an earlier line names: the weights are put together");
  }

  struct Row {
    Index vertex, begin, end;
  };

  RigText rig_;
  std::map<std::string, Index, std::less<>> index_of_;
  std::vector<Index> roots_;
  std::vector<Row> rows_;
  std::vector<Influence> influences_;
  Index line_ = 0;
};

/// Joints that deform, and the plain nodes between two of them. All where none deforms.
std::vector<Index> joints_to_write(const Skeleton& skeleton) {
  const std::size_t n = skeleton.size();
  std::vector<bool> below(n);
  std::vector<bool> above(n);
  for (std::size_t j = n; j-- > 0;) {
    const Index p = skeleton.joints[j].parent;
    if (p != kNone && (above[j] || skeleton.joints[j].deforms)) above[p] = true;
  }
  std::vector<Index> result;
  const bool all = skeleton.deforming_count() == 0;
  for (std::size_t j = 0; j < n; ++j) {
    const Joint& joint = skeleton.joints[j];
    below[j] = joint.parent != kNone && (below[joint.parent] || skeleton.joints[joint.parent].deforms);
    if (all || joint.deforms || (below[j] && above[j])) result.push_back(static_cast<Index>(j));
  }
  return result;
}

/// Bind matrices of all joints. Joints that the skin does not list stand to their nearest listed ancestor (else to the
/// first listed joint) as they do at rest.
std::vector<Affine> bind_matrices(const Skeleton& skeleton, const Part* part) {
  std::vector<Affine> global = global_transforms(skeleton, rest_pose(skeleton));
  if (part == nullptr || !part->skinned()) return global;
  std::vector<Index> listed(skeleton.size(), kNone);
  for (std::size_t i = 0; i < part->skin.joints.size(); ++i) listed[part->skin.joints[i]] = static_cast<Index>(i);
  const Affine first = part->skin.inverse_bind[0].inverse() * global[part->skin.joints[0]].inverse();
  std::vector<Affine> to_bind(skeleton.size());
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    if (listed[j] != kNone) {
      to_bind[j] = part->skin.inverse_bind[listed[j]].inverse() * global[j].inverse();
    } else {
      to_bind[j] = parent == kNone ? first : to_bind[parent];
    }
  }
  for (std::size_t j = 0; j < skeleton.size(); ++j) global[j] = to_bind[j] * global[j];
  return global;
}

bool has_blank(std::string_view name) { return name.find_first_of(" \t\r\n\v\f") != std::string_view::npos; }

std::string word_name(const std::string& name, std::set<std::string>& used) {
  std::string base = name.empty() ? "joint" : name;
  for (char& c : base) {
    if (has_blank({&c, 1})) c = '_';
  }
  if (base.front() == '#') base.front() = '_';
  std::string result = base;
  for (int n = 1; !used.insert(result).second; ++n) result = base + "." + std::to_string(n);
  return result;
}

/// `first` is the part's first vertex in the mesh's file.
void add_weights(const Part& part, std::span<const Index> written, Index first, RigText& rig) {
  for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
    const auto row = part.weights.row(v);
    if (row.empty()) continue;
    std::vector<Influence> influences;
    for (const Influence& influence : row) {
      const Index joint = written[part.skin.joints[influence.joint]];
      if (joint != kNone) influences.push_back({joint, influence.weight});
    }
    rig.vertices.push_back(first + static_cast<Index>(v));
    rig.weights.add_row(influences);
  }
}

/// A part without a skin follows the joint that carries it, or the nearest one above that is written.
void add_carried(const Part& part, const Skeleton& skeleton, std::span<const Index> written, Index first,
                 RigText& rig) {
  Index joint = part.node;
  while (joint != kNone && written[joint] == kNone) joint = skeleton.joints[joint].parent;
  if (joint == kNone) return;
  const Influence whole{written[joint], 1.0};
  for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
    rig.vertices.push_back(first + static_cast<Index>(v));
    rig.weights.add_row(std::span(&whole, 1));
  }
}

/// The joints of a rig, without weights, and which of them each joint of the skeleton became.
struct WrittenJoints {
  RigText rig;
  std::vector<Index> written;
};

WrittenJoints write_joints(const Skeleton& skeleton, const Part* bound) {
  WrittenJoints result{{}, std::vector<Index>(skeleton.size(), kNone)};
  const std::vector<Affine> bind = bind_matrices(skeleton, bound);
  std::set<std::string> used;
  ProblemCollector renamed;
  for (const Index j : joints_to_write(skeleton)) {
    result.written[j] = static_cast<Index>(result.rig.names.size());
    result.rig.names.push_back(word_name(skeleton.joints[j].name, used));
    if (result.rig.names.back() != skeleton.joints[j].name) renamed.add(j);
    result.rig.positions.emplace_back(bind[j].translation());
    Index parent = skeleton.joints[j].parent;
    while (parent != kNone && result.written[parent] == kNone) parent = skeleton.joints[parent].parent;
    result.rig.parents.push_back(parent == kNone ? kNone : result.written[parent]);
  }
  renamed.report(result.rig.problems, Severity::warning, "joints-renamed",
                 "{} joint{|s} {was|were} renamed: rig.txt has no room for blanks in names, nor for equal names");
  return result;
}

}  // namespace

RigText parse_rig_txt(std::string_view text) { return RigParser().parse(text); }

RigText read_rig_txt(const std::filesystem::path& path) {
  return text::read_named(path, [](std::string_view bytes) { return parse_rig_txt(bytes); });
}

Skeleton to_skeleton(const RigText& rig) { return positioned_skeleton(rig.names, rig.positions, rig.parents); }

void attach(const RigText& rig, Character& character, std::size_t part_index) {
  if (!character.skeleton.joints.empty()) throw_bad_input("the character has a skeleton already");
  if (part_index >= character.parts.size()) throw_bad_input("the character has no mesh that the rig could move");
  Part& part = character.parts[part_index];
  const auto vertices = static_cast<Index>(part.surface.vertex_count());
  if (!rig.vertices.empty() && rig.vertices.back() >= vertices) {
    throw_bad_input("the rig has weights for vertex " + std::to_string(rig.vertices.back()) +
                        ", but the mesh has only " + std::to_string(vertices) +
                        " vertices: they do not belong together",
                    rig.vertices.back());
  }
  character.skeleton = to_skeleton(rig);
  character.problems.insert(character.problems.end(), rig.problems.begin(), rig.problems.end());
  if (rig.vertices.empty()) return;

  for (std::size_t j = 0; j < rig.names.size(); ++j) {
    part.skin.joints.push_back(static_cast<Index>(j));
    part.skin.inverse_bind.emplace_back(Eigen::Translation3d(-rig.positions[j]));
  }
  std::size_t row = 0;
  for (Index v = 0; v < vertices; ++v) {
    const bool named = row < rig.vertices.size() && rig.vertices[row] == v;
    part.weights.add_row(named ? rig.weights.row(row++) : std::span<const Influence>());
  }
  const Problems repairs =
      repair(part.weights, static_cast<Index>(rig.names.size()), /*fallback_joint=*/0, &part.unweighted);
  character.problems.insert(character.problems.end(), repairs.begin(), repairs.end());
}

RigText to_rig_text(const Skeleton& skeleton, const Part* part) {
  WrittenJoints joints = write_joints(skeleton, part);
  if (part != nullptr && part->skinned()) add_weights(*part, joints.written, 0, joints.rig);
  return std::move(joints.rig);
}

RigText to_rig_text(const Character& character) {
  const auto bound =
      std::find_if(character.parts.begin(), character.parts.end(), [](const Part& p) { return p.skinned(); });
  WrittenJoints joints = write_joints(character.skeleton, bound == character.parts.end() ? nullptr : &*bound);
  Index first = 0;
  for (const Part& part : character.parts) {
    if (part.skinned()) {
      add_weights(part, joints.written, first, joints.rig);
    } else {
      add_carried(part, character.skeleton, joints.written, first, joints.rig);
    }
    first += static_cast<Index>(part.surface.vertex_count());
  }
  return std::move(joints.rig);
}

std::string format_rig_txt(const RigText& rig) {
  std::string out;
  for (std::size_t j = 0; j < rig.names.size(); ++j) {
    if (rig.names[j].empty() || has_blank(rig.names[j])) {
      throw_unsupported("the joint name " + text::quoted(rig.names[j]) + " cannot stand in a rig.txt",
                        static_cast<Index>(j));
    }
    out += "joints " + rig.names[j];
    for (const double x : rig.positions[j]) {
      out.push_back(' ');
      text::append_number(out, x);
    }
    out.push_back('\n');
  }
  for (std::size_t j = 0; j < rig.names.size(); ++j) {
    if (rig.parents[j] == kNone) out += "root " + rig.names[j] + "\n";
  }
  for (std::size_t j = 0; j < rig.names.size(); ++j) {
    if (rig.parents[j] != kNone) out += "hier " + rig.names[rig.parents[j]] + " " + rig.names[j] + "\n";
  }
  for (std::size_t r = 0; r < rig.vertices.size(); ++r) {
    out += "skin " + std::to_string(rig.vertices[r]);
    for (const Influence& influence : rig.weights.row(r)) {
      out += " " + rig.names[influence.joint] + " ";
      text::append_number(out, influence.weight);
    }
    out.push_back('\n');
  }
  return out;
}

void write_rig_txt(const std::filesystem::path& path, const RigText& rig) {
  write_file_atomically(path, format_rig_txt(rig));
}

}  // namespace isochor
