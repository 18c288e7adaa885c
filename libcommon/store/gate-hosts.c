/*
 * Hosts' files: what programs of the host run or obey merely because it lies in
 * a work tree. Names are looked up as the least careful file system would.
 */
#include "base/base.h"

#include "store/gate-parts.h"

const struct gate_host gate_hosts[] = {
	{ ".agent/", RULE_FLAG_AGENT },
	{ ".agents/", RULE_FLAG_AGENT },
	{ ".aider.conf.yml", RULE_FLAG_AGENT },
	{ ".aider/", RULE_FLAG_AGENT },
	{ ".amazonq/", RULE_FLAG_AGENT },
	{ ".appveyor.yml", RULE_FLAG_CI },
	{ ".augment-guidelines", RULE_FLAG_AGENT },
	{ ".augment/", RULE_FLAG_AGENT },
	{ ".autoenv", RULE_FLAG_SHELL },
	{ ".autoenv.zsh", RULE_FLAG_SHELL },
	{ ".azure-pipelines/", RULE_FLAG_CI },
	{ ".babelrc", RULE_FLAG_BUILD },
	{ ".bash_aliases", RULE_FLAG_SHELL },
	{ ".bash_login", RULE_FLAG_SHELL },
	{ ".bash_logout", RULE_FLAG_SHELL },
	{ ".bash_profile", RULE_FLAG_SHELL },
	{ ".bashrc", RULE_FLAG_SHELL },
	{ ".bazelrc", RULE_FLAG_BUILD },
	{ ".buckconfig", RULE_FLAG_BUILD },
	{ ".build.yml", RULE_FLAG_CI },
	{ ".buildkite/", RULE_FLAG_CI },
	{ ".builds/", RULE_FLAG_CI },
	{ ".bundle/", RULE_FLAG_SHELL },
	{ ".cargo-husky/", RULE_FLAG_HOOKS },
	{ ".cargo/", RULE_FLAG_SHELL },
	{ ".ci/", RULE_FLAG_CI },
	{ ".circleci/", RULE_FLAG_CI },
	{ ".cirrus.star", RULE_FLAG_CI },
	{ ".cirrus.yml", RULE_FLAG_CI },
	{ ".clangd", RULE_FLAG_EDITOR },
	{ ".claude-plugin/", RULE_FLAG_AGENT },
	{ ".claude.json", RULE_FLAG_AGENT },
	{ ".claude/", RULE_FLAG_AGENT },
	{ ".cline/", RULE_FLAG_AGENT },
	{ ".clinerules", RULE_FLAG_AGENT },
	{ ".clinerules/", RULE_FLAG_AGENT },
	{ ".codex/", RULE_FLAG_AGENT },
	{ ".continue/", RULE_FLAG_AGENT },
	{ ".copilot/", RULE_FLAG_AGENT },
	{ ".crush.json", RULE_FLAG_AGENT },
	{ ".cshrc", RULE_FLAG_SHELL },
	{ ".curlrc", RULE_FLAG_SHELL },
	{ ".cursor/", RULE_FLAG_AGENT },
	{ ".cursorrules", RULE_FLAG_AGENT },
	{ ".devcontainer.json", RULE_FLAG_EDITOR },
	{ ".devcontainer/", RULE_FLAG_EDITOR },
	{ ".dir-locals-2.el", RULE_FLAG_EDITOR },
	{ ".dir-locals.el", RULE_FLAG_EDITOR },
	{ ".direnv/", RULE_FLAG_SHELL },
	{ ".drone.star", RULE_FLAG_CI },
	{ ".drone.yml", RULE_FLAG_CI },
	{ ".emacs", RULE_FLAG_EDITOR },
	{ ".emacs.d/", RULE_FLAG_EDITOR },
	{ ".env", RULE_FLAG_SHELL },
	{ ".envrc", RULE_FLAG_SHELL },
	{ ".eslintrc.cjs", RULE_FLAG_BUILD },
	{ ".eslintrc.js", RULE_FLAG_BUILD },
	{ ".exrc", RULE_FLAG_SHELL },
	{ ".externaltoolbuilders/", RULE_FLAG_EDITOR },
	{ ".factory/", RULE_FLAG_AGENT },
	{ ".flaskenv", RULE_FLAG_SHELL },
	{ ".fleet/", RULE_FLAG_EDITOR },
	{ ".forgejo/workflows/", RULE_FLAG_CI },
	{ ".formatter.exs", RULE_FLAG_BUILD },
	{ ".gdbinit", RULE_FLAG_SHELL },
	{ ".gemini/", RULE_FLAG_AGENT },
	{ ".ghci", RULE_FLAG_SHELL },
	{ ".git-hooks/", RULE_FLAG_HOOKS },
	{ ".gitattributes", RULE_FLAG_GIT },
	{ ".gitbox", RULE_FLAG_GIT },
	{ ".gitbox-signers", RULE_FLAG_GIT },
	{ ".gitconfig", RULE_FLAG_GIT },
	{ ".gitea/workflows/", RULE_FLAG_CI },
	{ ".githooks/", RULE_FLAG_HOOKS },
	{ ".github/actions/", RULE_FLAG_CI },
	{ ".github/agents/", RULE_FLAG_AGENT },
	{ ".github/chatmodes/", RULE_FLAG_AGENT },
	{ ".github/copilot-instructions.md", RULE_FLAG_AGENT },
	{ ".github/dependabot.yml", RULE_FLAG_CI },
	{ ".github/hooks/", RULE_FLAG_AGENT },
	{ ".github/instructions/", RULE_FLAG_AGENT },
	{ ".github/prompts/", RULE_FLAG_AGENT },
	{ ".github/skills/", RULE_FLAG_AGENT },
	{ ".github/workflows/", RULE_FLAG_CI },
	{ ".gitlab-ci.yml", RULE_FLAG_CI },
	{ ".gitlab/ci/", RULE_FLAG_CI },
	{ ".gitmodules", RULE_FLAG_GIT },
	{ ".gitpod.dockerfile", RULE_FLAG_EDITOR },
	{ ".gitpod.yml", RULE_FLAG_EDITOR },
	{ ".goose/", RULE_FLAG_AGENT },
	{ ".goosehints", RULE_FLAG_AGENT },
	{ ".goreleaser.yaml", RULE_FLAG_CI },
	{ ".goreleaser.yml", RULE_FLAG_CI },
	{ ".gvimrc", RULE_FLAG_SHELL },
	{ ".helix/", RULE_FLAG_EDITOR },
	{ ".hooks/", RULE_FLAG_HOOKS },
	{ ".husky/", RULE_FLAG_HOOKS },
	{ ".huskyrc", RULE_FLAG_HOOKS },
	{ ".huskyrc.js", RULE_FLAG_HOOKS },
	{ ".huskyrc.json", RULE_FLAG_HOOKS },
	{ ".idea/", RULE_FLAG_EDITOR },
	{ ".iex.exs", RULE_FLAG_BUILD },
	{ ".inputrc", RULE_FLAG_SHELL },
	{ ".irbrc", RULE_FLAG_SHELL },
	{ ".junie/", RULE_FLAG_AGENT },
	{ ".justfile", RULE_FLAG_BUILD },
	{ ".kilocode/", RULE_FLAG_AGENT },
	{ ".kiro/", RULE_FLAG_AGENT },
	{ ".kshrc", RULE_FLAG_SHELL },
	{ ".lefthook-local.yml", RULE_FLAG_HOOKS },
	{ ".lefthook-local/", RULE_FLAG_HOOKS },
	{ ".lefthook.json", RULE_FLAG_HOOKS },
	{ ".lefthook.toml", RULE_FLAG_HOOKS },
	{ ".lefthook.yaml", RULE_FLAG_HOOKS },
	{ ".lefthook.yml", RULE_FLAG_HOOKS },
	{ ".lefthook/", RULE_FLAG_HOOKS },
	{ ".lfsconfig", RULE_FLAG_GIT },
	{ ".lintstagedrc", RULE_FLAG_HOOKS },
	{ ".lldbinit", RULE_FLAG_SHELL },
	{ ".lvimrc", RULE_FLAG_SHELL },
	{ ".mcp.json", RULE_FLAG_AGENT },
	{ ".mcp/", RULE_FLAG_AGENT },
	{ ".mergify.yml", RULE_FLAG_CI },
	{ ".mise.toml", RULE_FLAG_SHELL },
	{ ".mise/", RULE_FLAG_SHELL },
	{ ".mocharc.js", RULE_FLAG_BUILD },
	{ ".mocharc.json", RULE_FLAG_BUILD },
	{ ".mvn/", RULE_FLAG_BUILD },
	{ ".netrc", RULE_FLAG_SHELL },
	{ ".nova/", RULE_FLAG_EDITOR },
	{ ".npmrc", RULE_FLAG_SHELL },
	{ ".nvim.lua", RULE_FLAG_SHELL },
	{ ".nvimrc", RULE_FLAG_SHELL },
	{ ".ocamlinit", RULE_FLAG_SHELL },
	{ ".opencode/", RULE_FLAG_AGENT },
	{ ".openhands/", RULE_FLAG_AGENT },
	{ ".overcommit.yml", RULE_FLAG_HOOKS },
	{ ".pdbrc", RULE_FLAG_SHELL },
	{ ".pdbrc.py", RULE_FLAG_SHELL },
	{ ".pnpmfile.cjs", RULE_FLAG_SHELL },
	{ ".pre-commit-config.yaml", RULE_FLAG_HOOKS },
	{ ".pre-commit-hooks.yaml", RULE_FLAG_HOOKS },
	{ ".prettierrc.cjs", RULE_FLAG_BUILD },
	{ ".prettierrc.js", RULE_FLAG_BUILD },
	{ ".profile", RULE_FLAG_SHELL },
	{ ".project", RULE_FLAG_EDITOR },
	{ ".projectile", RULE_FLAG_EDITOR },
	{ ".pryrc", RULE_FLAG_SHELL },
	{ ".psqlrc", RULE_FLAG_SHELL },
	{ ".pypirc", RULE_FLAG_SHELL },
	{ ".qwen/", RULE_FLAG_AGENT },
	{ ".renovaterc", RULE_FLAG_CI },
	{ ".renovaterc.json", RULE_FLAG_CI },
	{ ".renviron", RULE_FLAG_SHELL },
	{ ".replit", RULE_FLAG_EDITOR },
	{ ".roo/", RULE_FLAG_AGENT },
	{ ".roomodes", RULE_FLAG_AGENT },
	{ ".roorules", RULE_FLAG_AGENT },
	{ ".rprofile", RULE_FLAG_SHELL },
	{ ".ruler/", RULE_FLAG_AGENT },
	{ ".rules", RULE_FLAG_AGENT },
	{ ".run/", RULE_FLAG_EDITOR },
	{ ".screenrc", RULE_FLAG_SHELL },
	{ ".semaphore/", RULE_FLAG_CI },
	{ ".settings/", RULE_FLAG_EDITOR },
	{ ".simple-git-hooks.cjs", RULE_FLAG_HOOKS },
	{ ".simple-git-hooks.js", RULE_FLAG_HOOKS },
	{ ".simple-git-hooks.json", RULE_FLAG_HOOKS },
	{ ".sqliterc", RULE_FLAG_SHELL },
	{ ".ssh/", RULE_FLAG_SHELL },
	{ ".tcshrc", RULE_FLAG_SHELL },
	{ ".teamcity/", RULE_FLAG_CI },
	{ ".tekton/", RULE_FLAG_CI },
	{ ".theia/", RULE_FLAG_EDITOR },
	{ ".tmux.conf", RULE_FLAG_SHELL },
	{ ".tool-versions", RULE_FLAG_SHELL },
	{ ".trae/", RULE_FLAG_AGENT },
	{ ".travis.yml", RULE_FLAG_CI },
	{ ".vim/", RULE_FLAG_SHELL },
	{ ".vimrc", RULE_FLAG_SHELL },
	{ ".vs/", RULE_FLAG_EDITOR },
	{ ".vscode/", RULE_FLAG_EDITOR },
	{ ".wgetrc", RULE_FLAG_SHELL },
	{ ".windsurf/", RULE_FLAG_AGENT },
	{ ".windsurfrules", RULE_FLAG_AGENT },
	{ ".woodpecker.yaml", RULE_FLAG_CI },
	{ ".woodpecker.yml", RULE_FLAG_CI },
	{ ".woodpecker/", RULE_FLAG_CI },
	{ ".yarn/", RULE_FLAG_SHELL },
	{ ".yarnrc", RULE_FLAG_SHELL },
	{ ".yarnrc.yml", RULE_FLAG_SHELL },
	{ ".ycm_extra_conf.py", RULE_FLAG_EDITOR },
	{ ".yorkie/", RULE_FLAG_HOOKS },
	{ ".zed/", RULE_FLAG_EDITOR },
	{ ".zlogin", RULE_FLAG_SHELL },
	{ ".zlogout", RULE_FLAG_SHELL },
	{ ".zprofile", RULE_FLAG_SHELL },
	{ ".zshenv", RULE_FLAG_SHELL },
	{ ".zshrc", RULE_FLAG_SHELL },
	{ ".zuul.d/", RULE_FLAG_CI },
	{ ".zuul.yaml", RULE_FLAG_CI },
	{ "action.yaml", RULE_FLAG_CI },
	{ "action.yml", RULE_FLAG_CI },
	{ "agent.md", RULE_FLAG_AGENT },
	{ "agents.md", RULE_FLAG_AGENT },
	{ "agents.override.md", RULE_FLAG_AGENT },
	{ "ansible.cfg", RULE_FLAG_SHELL },
	{ "appveyor.yml", RULE_FLAG_CI },
	{ "autogen.sh", RULE_FLAG_BUILD },
	{ "azure-pipelines.yml", RULE_FLAG_CI },
	{ "binding.gyp", RULE_FLAG_BUILD },
	{ "bitbucket-pipelines.yml", RULE_FLAG_CI },
	{ "brewfile", RULE_FLAG_BUILD },
	{ "bsdmakefile", RULE_FLAG_BUILD },
	{ "build.bazel", RULE_FLAG_BUILD },
	{ "build.cake", RULE_FLAG_BUILD },
	{ "build.gradle", RULE_FLAG_BUILD },
	{ "build.gradle.kts", RULE_FLAG_BUILD },
	{ "build.mill", RULE_FLAG_BUILD },
	{ "build.ninja", RULE_FLAG_BUILD },
	{ "build.ps1", RULE_FLAG_BUILD },
	{ "build.rs", RULE_FLAG_BUILD },
	{ "build.sbt", RULE_FLAG_BUILD },
	{ "build.sh", RULE_FLAG_BUILD },
	{ "build.xml", RULE_FLAG_BUILD },
	{ "build.zig", RULE_FLAG_BUILD },
	{ "buildspec.yml", RULE_FLAG_CI },
	{ "buildsrc/", RULE_FLAG_BUILD },
	{ "bunfig.toml", RULE_FLAG_SHELL },
	{ "cabal.project", RULE_FLAG_BUILD },
	{ "capfile", RULE_FLAG_BUILD },
	{ "captainhook.json", RULE_FLAG_HOOKS },
	{ "cargo.toml", RULE_FLAG_BUILD },
	{ "claude.local.md", RULE_FLAG_AGENT },
	{ "claude.md", RULE_FLAG_AGENT },
	{ "cloudbuild.yaml", RULE_FLAG_CI },
	{ "cmakelists.txt", RULE_FLAG_BUILD },
	{ "cmakepresets.json", RULE_FLAG_BUILD },
	{ "cmakeuserpresets.json", RULE_FLAG_BUILD },
	{ "coc-settings.json", RULE_FLAG_EDITOR },
	{ "codex.md", RULE_FLAG_AGENT },
	{ "compose.yaml", RULE_FLAG_BUILD },
	{ "compose.yml", RULE_FLAG_BUILD },
	{ "composer.json", RULE_FLAG_BUILD },
	{ "configure", RULE_FLAG_BUILD },
	{ "configure.ac", RULE_FLAG_BUILD },
	{ "conftest.py", RULE_FLAG_BUILD },
	{ "containerfile", RULE_FLAG_BUILD },
	{ "crush.json", RULE_FLAG_AGENT },
	{ "dangerfile", RULE_FLAG_BUILD },
	{ "debian/rules", RULE_FLAG_BUILD },
	{ "default.nix", RULE_FLAG_SHELL },
	{ "deno.json", RULE_FLAG_BUILD },
	{ "deno.jsonc", RULE_FLAG_BUILD },
	{ "deps.edn", RULE_FLAG_BUILD },
	{ "devbox.json", RULE_FLAG_SHELL },
	{ "devenv.nix", RULE_FLAG_SHELL },
	{ "directory.build.props", RULE_FLAG_BUILD },
	{ "directory.build.targets", RULE_FLAG_BUILD },
	{ "docker-bake.hcl", RULE_FLAG_BUILD },
	{ "docker-bake.json", RULE_FLAG_BUILD },
	{ "docker-compose.yaml", RULE_FLAG_BUILD },
	{ "docker-compose.yml", RULE_FLAG_BUILD },
	{ "dockerfile", RULE_FLAG_BUILD },
	{ "dodo.py", RULE_FLAG_BUILD },
	{ "dune-project", RULE_FLAG_BUILD },
	{ "earthfile", RULE_FLAG_BUILD },
	{ "fabfile.py", RULE_FLAG_BUILD },
	{ "fastfile", RULE_FLAG_BUILD },
	{ "flake.nix", RULE_FLAG_SHELL },
	{ "fly.toml", RULE_FLAG_CI },
	{ "gemfile", RULE_FLAG_BUILD },
	{ "gemini.md", RULE_FLAG_AGENT },
	{ "git-hooks/", RULE_FLAG_HOOKS },
	{ "githooks/", RULE_FLAG_HOOKS },
	{ "gnumakefile", RULE_FLAG_BUILD },
	{ "go.work", RULE_FLAG_BUILD },
	{ "gradle.properties", RULE_FLAG_BUILD },
	{ "gradle/wrapper/", RULE_FLAG_BUILD },
	{ "gradlew", RULE_FLAG_BUILD },
	{ "gradlew.bat", RULE_FLAG_BUILD },
	{ "grumphp.yml", RULE_FLAG_HOOKS },
	{ "gruntfile.js", RULE_FLAG_BUILD },
	{ "guardfile", RULE_FLAG_BUILD },
	{ "gulpfile.js", RULE_FLAG_BUILD },
	{ "gulpfile.mjs", RULE_FLAG_BUILD },
	{ "gulpfile.ts", RULE_FLAG_BUILD },
	{ "hatch_build.py", RULE_FLAG_BUILD },
	{ "heroku.yml", RULE_FLAG_CI },
	{ "hk.pkl", RULE_FLAG_HOOKS },
	{ "install.sh", RULE_FLAG_BUILD },
	{ "jakefile", RULE_FLAG_BUILD },
	{ "jakefile.js", RULE_FLAG_BUILD },
	{ "jenkinsfile", RULE_FLAG_CI },
	{ "justfile", RULE_FLAG_BUILD },
	{ "lefthook-local.yml", RULE_FLAG_HOOKS },
	{ "lefthook.json", RULE_FLAG_HOOKS },
	{ "lefthook.toml", RULE_FLAG_HOOKS },
	{ "lefthook.yaml", RULE_FLAG_HOOKS },
	{ "lefthook.yml", RULE_FLAG_HOOKS },
	{ "magefile.go", RULE_FLAG_BUILD },
	{ "makefile", RULE_FLAG_BUILD },
	{ "makefile.am", RULE_FLAG_BUILD },
	{ "makefile.in", RULE_FLAG_BUILD },
	{ "makefile.pl", RULE_FLAG_BUILD },
	{ "mcp.json", RULE_FLAG_AGENT },
	{ "meson.build", RULE_FLAG_BUILD },
	{ "mise.toml", RULE_FLAG_SHELL },
	{ "mix.exs", RULE_FLAG_BUILD },
	{ "module.bazel", RULE_FLAG_BUILD },
	{ "mvnw", RULE_FLAG_BUILD },
	{ "mvnw.cmd", RULE_FLAG_BUILD },
	{ "netlify.toml", RULE_FLAG_CI },
	{ "noxfile.py", RULE_FLAG_BUILD },
	{ "nuget.config", RULE_FLAG_BUILD },
	{ "nx.json", RULE_FLAG_BUILD },
	{ "opencode.json", RULE_FLAG_AGENT },
	{ "opencode.jsonc", RULE_FLAG_AGENT },
	{ "package.swift", RULE_FLAG_BUILD },
	{ "pants.toml", RULE_FLAG_BUILD },
	{ "pip.conf", RULE_FLAG_SHELL },
	{ "pkgbuild", RULE_FLAG_BUILD },
	{ "podfile", RULE_FLAG_BUILD },
	{ "pom.xml", RULE_FLAG_BUILD },
	{ "prek.toml", RULE_FLAG_HOOKS },
	{ "premake5.lua", RULE_FLAG_BUILD },
	{ "procfile", RULE_FLAG_CI },
	{ "project.clj", RULE_FLAG_BUILD },
	{ "project/plugins.sbt", RULE_FLAG_BUILD },
	{ "pyproject.toml", RULE_FLAG_BUILD },
	{ "qwen.md", RULE_FLAG_AGENT },
	{ "rakefile", RULE_FLAG_BUILD },
	{ "rebar.config", RULE_FLAG_BUILD },
	{ "render.yaml", RULE_FLAG_CI },
	{ "renovate.json", RULE_FLAG_CI },
	{ "rust-toolchain", RULE_FLAG_SHELL },
	{ "rust-toolchain.toml", RULE_FLAG_SHELL },
	{ "sconscript", RULE_FLAG_BUILD },
	{ "sconstruct", RULE_FLAG_BUILD },
	{ "settings.gradle", RULE_FLAG_BUILD },
	{ "settings.gradle.kts", RULE_FLAG_BUILD },
	{ "setup.cfg", RULE_FLAG_BUILD },
	{ "setup.hs", RULE_FLAG_BUILD },
	{ "setup.py", RULE_FLAG_BUILD },
	{ "shell.nix", RULE_FLAG_SHELL },
	{ "simple-git-hooks.cjs", RULE_FLAG_HOOKS },
	{ "simple-git-hooks.js", RULE_FLAG_HOOKS },
	{ "simple-git-hooks.json", RULE_FLAG_HOOKS },
	{ "sitecustomize.py", RULE_FLAG_SHELL },
	{ "skaffold.yaml", RULE_FLAG_BUILD },
	{ "skill.md", RULE_FLAG_AGENT },
	{ "stack.yaml", RULE_FLAG_BUILD },
	{ "taskfile.yaml", RULE_FLAG_BUILD },
	{ "taskfile.yml", RULE_FLAG_BUILD },
	{ "thorfile", RULE_FLAG_BUILD },
	{ "tiltfile", RULE_FLAG_BUILD },
	{ "tools/bazel", RULE_FLAG_BUILD },
	{ "tox.ini", RULE_FLAG_BUILD },
	{ "turbo.json", RULE_FLAG_BUILD },
	{ "usercustomize.py", RULE_FLAG_SHELL },
	{ "vagrantfile", RULE_FLAG_BUILD },
	{ "vercel.json", RULE_FLAG_CI },
	{ "warp.md", RULE_FLAG_AGENT },
	{ "workspace.bazel", RULE_FLAG_BUILD },
	{ "wscript", RULE_FLAG_BUILD },
	{ "xmake.lua", RULE_FLAG_BUILD },
};
const size_t gate_hosts_len = ARRAY_SIZE(gate_hosts);

/* The same for what a file's name starts or ends with. */
static const struct gate_host prefixes[] = {
	{ ".env.", RULE_FLAG_SHELL },
	{ ".lintstagedrc.", RULE_FLAG_HOOKS },
	{ ".simple-git-hooks.", RULE_FLAG_HOOKS },
	{ "compose.", RULE_FLAG_BUILD },
	{ "containerfile.", RULE_FLAG_BUILD },
	{ "docker-compose.", RULE_FLAG_BUILD },
	{ "dockerfile.", RULE_FLAG_BUILD },
	{ "jenkinsfile.", RULE_FLAG_CI },
	{ "lint-staged.config.", RULE_FLAG_HOOKS },
	{ "makefile.", RULE_FLAG_BUILD },
};
static const struct gate_host suffixes[] = {
	{ ".bzl", RULE_FLAG_BUILD },
	{ ".cmake", RULE_FLAG_BUILD },
	{ ".code-workspace", RULE_FLAG_EDITOR },
	{ ".config.cjs", RULE_FLAG_BUILD },
	{ ".config.js", RULE_FLAG_BUILD },
	{ ".config.mjs", RULE_FLAG_BUILD },
	{ ".config.mts", RULE_FLAG_BUILD },
	{ ".config.ts", RULE_FLAG_BUILD },
	{ ".csproj", RULE_FLAG_BUILD },
	{ ".dockerfile", RULE_FLAG_BUILD },
	{ ".gemspec", RULE_FLAG_BUILD },
	{ ".gradle", RULE_FLAG_BUILD },
	{ ".gradle.kts", RULE_FLAG_BUILD },
	{ ".iml", RULE_FLAG_EDITOR },
	{ ".mdc", RULE_FLAG_AGENT },
	{ ".mk", RULE_FLAG_BUILD },
	{ ".pth", RULE_FLAG_SHELL },
	{ ".run.xml", RULE_FLAG_EDITOR },
	{ ".sublime-project", RULE_FLAG_EDITOR },
	{ ".vcxproj", RULE_FLAG_BUILD },
};

static int by_name(const void *key, const void *elem)
{
	const struct gate_host *row = elem;

	return strcmp(key, row->name);
}

static enum gate_rule look_up(const char *name)
{
	const struct gate_host *row = bsearch(name, gate_hosts, ARRAY_SIZE(gate_hosts),
					      sizeof(*row), by_name);

	return row ? row->rule : RULE_NONE;
}

/* The component at hand and the one above it, folded; memory is kept from one to the next. */
struct place {
	struct buf parent; /* "" at the top */
	struct buf name;
	struct buf key;
};

/* As a directory and, at the end, as a file; each also by the name of the directory above. */
static enum gate_rule look_at(struct place *at, bool last)
{
	enum gate_rule rule = RULE_NONE;

	for (int form = 0; form < 4 && rule == RULE_NONE; form++) {
		bool with_parent = form & 1, as_file = form & 2;

		if ((with_parent && !at->parent.len) || (as_file && !last))
			continue;
		buf_reset(&at->key);
		if (with_parent)
			buf_fmt(&at->key, "%s/", at->parent.data);
		buf_str(&at->key, at->name.data);
		if (!as_file)
			buf_char(&at->key, '/');
		rule = look_up(at->key.data);
	}
	return rule;
}

static enum gate_rule look_at_ends(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (strncmp(name, prefixes[i].name, strlen(prefixes[i].name)) == 0)
			return prefixes[i].rule;
	}
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i].name);

		if (len >= n && strcmp(name + len - n, suffixes[i].name) == 0)
			return suffixes[i].rule;
	}
	return RULE_NONE;
}

static enum gate_rule walk(struct place *at, char *path)
{
	for (;;) {
		size_t len = strcspn(path, "/");
		bool last = path[len] == '\0';
		enum gate_rule rule;

		if (!last) /* an empty string's end is not ours to write */
			path[len] = '\0';
		buf_reset(&at->name);
		gate_fold(path, &at->name);
		rule = look_at(at, last);
		if (rule != RULE_NONE)
			return rule;
		if (last)
			return look_at_ends(at->name.data);
		buf_reset(&at->parent);
		buf_str(&at->parent, at->name.data);
		path += len + 1;
	}
}

enum gate_rule gate_host_rule(const char *path)
{
	struct place at = { .parent = BUF_INIT, .name = BUF_INIT, .key = BUF_INIT };
	BUF_AUTO copy = BUF_INIT;
	enum gate_rule rule;

	buf_str(&copy, path);
	rule = walk(&at, copy.data);
	buf_release(&at.parent);
	buf_release(&at.name);
	buf_release(&at.key);
	return rule;
}
