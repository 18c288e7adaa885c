#include "base/base.h"

#include "policy/toolchains.h"

/*
 * Only what is listed is shown: ~/.cargo and ~/.m2 themselves stay hidden, since
 * tokens lie beside the caches there (credentials.toml, settings.xml), and so do
 * ~/.config, ~/.npmrc and everything else.
 */
static const char *const places[] = {
	/* many languages */
	".asdf", ".local/bin", ".local/share/mise/installs", ".local/share/mise/shims",
	".local/share/aqua",
	/* Rust */
	".cargo/bin", ".cargo/env", ".cargo/git", ".cargo/registry", ".rustup",
	/* Go */
	"go/bin", "go/pkg/mod", ".goenv", "sdk",
	/* JavaScript */
	".nvm", ".fnm", ".local/share/fnm", ".volta/bin", ".volta/tools", ".bun/bin", ".deno/bin",
	".local/share/pnpm", ".npm-global/bin", ".npm-global/lib",
	/* Python */
	".pyenv", ".local/lib", ".local/share/uv/python", ".local/share/uv/tools",
	".local/share/pipx", ".local/pipx", ".poetry/bin", ".local/share/pypoetry/venv",
	/* JVM */
	".sdkman/candidates", ".jenv", ".jdks", ".m2/repository", ".m2/wrapper", ".gradle/wrapper",
	/* .NET; beside them lie private keys */
	".dotnet/dotnet", ".dotnet/host", ".dotnet/packs", ".dotnet/sdk", ".dotnet/shared",
	".dotnet/tools",
	/* others */
	".rbenv", ".ghcup/bin", ".ghcup/ghc", ".elan", ".julia/juliaup", ".nix-profile",
	".foundry/bin",
	/* agents */
	".local/share/claude", ".claude/local", ".opencode/bin"
};

static const char *const bins[] = {
	/* what chooses among versions comes first */
	".asdf/shims", ".local/share/mise/shims", ".pyenv/shims", ".pyenv/bin", ".rbenv/shims",
	".rbenv/bin", ".volta/bin",
	/* plain places */
	".local/bin", ".cargo/bin", "go/bin", ".bun/bin", ".deno/bin", ".local/share/pnpm",
	".npm-global/bin", ".poetry/bin", ".ghcup/bin", ".elan/bin", ".nix-profile/bin",
	".foundry/bin", ".claude/local", ".opencode/bin"
};

/*
 * Passed on where their value can be seen inside. CARGO_HOME is not among them:
 * cargo writes there, and finds a writable ~/.cargo by itself.
 */
static const char *const variables[] = { "RUSTUP_HOME",	  "RUSTUP_TOOLCHAIN", "GOROOT",
					 "NVM_DIR",	  "VOLTA_HOME",	      "PYENV_ROOT",
					 "PYENV_VERSION", "RBENV_ROOT",	      "JAVA_HOME",
					 "SDKMAN_DIR",	  "ASDF_DIR",	      "ASDF_DATA_DIR",
					 "DOTNET_ROOT" };

void toolchains_add(const char *home, struct policy *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		strv_add(&p->env, variables[i]);
	if (home[0] != '/' || !home[1])
		return;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		strv_addf(&p->read, "%s/%s", home, places[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bins); i++)
		strv_addf(&p->path, "%s/%s", home, bins[i]);
}
