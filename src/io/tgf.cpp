#include "isochor/io/tgf.h"

#include <map>
#include <numeric>
#include <queue>

#include "io/positioned_skeleton.h"
#include "io/text.h"

namespace isochor {

namespace {

using text::throw_at;

struct Graph {
  std::vector<std::string> names;
  std::vector<Vec3> positions;
  std::vector<std::vector<Index>> neighbours;
  std::vector<bool> is_second;  ///< the second vertex of some edge
};

class TgfParser {
 public:
  explicit TgfParser(std::string_view text) : lines_(text) {}

  Graph parse() {
    int section = 0;
    std::string_view line;
    while (section < 2 && lines_.next(line)) {
      line = text::trim(line);
      if (line.empty()) continue;
      if (line.front() == '#') {
        ++section;
      } else if (section == 0) {
        vertex(line);
      } else {
        edge(line);
      }
    }
    if (graph_.positions.empty()) throw_bad_input("the TGF has no vertex");
    return std::move(graph_);
  }

 private:
  std::int64_t id(std::string_view& rest) const {
    const std::string_view word = text::take_word(rest);
    const auto value = text::to_integer(word);
    if (!value) throw_at(lines_.number(), text::quoted(word) + " stands where a vertex id should");
    return *value;
  }

  void vertex(std::string_view rest) {
    const std::int64_t number = id(rest);
    const auto index = static_cast<Index>(graph_.positions.size());
    if (!index_of_.emplace(number, index).second) {
      throw_at(lines_.number(), "the vertex id " + std::to_string(number) + " stands twice");
    }
    graph_.names.push_back("joint" + std::to_string(number));
    graph_.positions.push_back(text::take_vec3(rest, lines_.number(), "a vertex"));
    graph_.neighbours.emplace_back();
    graph_.is_second.push_back(false);
    set_.push_back(index);
  }

  void edge(std::string_view rest) {
    const Index a = known(id(rest));
    const Index b = known(id(rest));
    if (root_of(a) == root_of(b)) throw_at(lines_.number(), "the edge closes a cycle, and a skeleton is a tree");
    set_[root_of(a)] = root_of(b);
    graph_.neighbours[a].push_back(b);
    graph_.neighbours[b].push_back(a);
    graph_.is_second[b] = true;
  }

  Index known(std::int64_t number) const {
    const auto found = index_of_.find(number);
    if (found == index_of_.end()) {
      throw_at(lines_.number(), "the edge names vertex " + std::to_string(number) + ", which is not in the file");
    }
    return found->second;
  }

  /// Union-find with path halving.
  Index root_of(Index v) {
    while (set_[v] != v) v = set_[v] = set_[set_[v]];
    return v;
  }

  text::Lines lines_;
  Graph graph_;
  std::map<std::int64_t, Index> index_of_;
  std::vector<Index> set_;
};

/// Each tree hangs from its first vertex that is nobody's second; edges that point the other way are thereby turned.
std::vector<Index> hang_up(const Graph& graph) {
  std::vector<Index> parents(graph.positions.size(), kNone);
  std::vector<bool> seen(parents.size());
  const auto grow = [&](Index root) {
    std::queue<Index> open;
    open.push(root);
    seen[root] = true;
    for (; !open.empty(); open.pop()) {
      const Index v = open.front();
      for (const Index w : graph.neighbours[v]) {
        if (seen[w]) continue;
        seen[w] = true;
        parents[w] = v;
        open.push(w);
      }
    }
  };
  for (std::size_t v = 0; v < parents.size(); ++v) {
    if (!graph.is_second[v] && !seen[v]) grow(static_cast<Index>(v));
  }
  return parents;
}

}  // namespace

Character parse_tgf(std::string_view text) {
  const Graph graph = TgfParser(text).parse();
  Character character;
  character.skeleton = reordered_skeleton(graph.names, graph.positions, hang_up(graph));
  return character;
}

Character read_tgf(const std::filesystem::path& path) {
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_tgf(bytes);
    character.name = path.stem().string();
    return character;
  });
}

}  // namespace isochor
