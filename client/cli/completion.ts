import type { Command } from './command.ts'
import { connect, readAccess } from './options.ts'
import { printable } from './printable.ts'
import { UsageError } from './usage-error.ts'
import type { World } from './world.ts'

/**
 * Scripts that make shells call `rate-search __complete <shell> <word>…` for completions, one a line. Arguments may
 * contain spaces, as the names of payers and plans do. Without a match, shells complete files. Names are a payer's: zsh
 * and fish quote what they insert, and for bash `completeWords` does.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `_rate_search() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(rate-search __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rate_search rate-search
`,
  zsh: `#compdef rate-search
_rate_search() {
  local -a fitting
  fitting=("\${(@f)$(rate-search __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${words[CURRENT]}" 2>/dev/null)}")
  if [[ -n "$fitting[1]" ]]; then compadd -- "\${fitting[@]}"; else _files; fi
}
compdef _rate_search rate-search
`,
  fish: `function __rate_search_complete
  set -l fitting (rate-search __complete fish (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $fitting) -gt 0
    printf '%s\\n' $fitting
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c rate-search -f -a '(__rate_search_complete)'
`,
}

export const completionUsage = `
Prints a script that completes commands, options, payers and plans.

Usage: rate-search completion bash|zsh|fish

Examples:
  source <(rate-search completion bash)                                   # in ~/.bashrc
  source <(rate-search completion zsh)                                    # in ~/.zshrc, after compinit
  rate-search completion fish > ~/.config/fish/completions/rate-search.fish
`

/** @throws UsageError for a shell that has no script */
export function completionScript([shell = '', ...others]: readonly string[]): string {
  const script = scripts[shell]
  if (script === undefined || others.length > 0) throw new UsageError('name one of the shells bash, zsh and fish')
  return script
}

/** Maximum time that a shell waits for completions, in milliseconds. */
const maxWaitMs = 3000

/**
 * Completes the last word of a command line; none if the service does not answer.
 *
 * @param shell `bash` passes words with their quotes, and inserts what it gets; others quote, and only the last word is raw
 */
export async function completeWords(
  [shell, ...words]: readonly string[],
  commands: readonly Command[],
  world: World,
): Promise<readonly string[]> {
  const isBash = shell === 'bash'
  const plain = words.map((word, index) => (isBash || index === words.length - 1 ? unquote(word) : word))
  // Of other names, a line could not be shown as it is.
  const found = (await findWords(plain, commands, world)).filter((word) => word === printable(word))
  return isBash ? found.map((word) => quoteForBash(word, words.at(-1)?.[0])) : found
}

async function findWords(
  [name = '', ...args]: readonly string[],
  commands: readonly Command[],
  world: World,
): Promise<readonly string[]> {
  const current = args.at(-1)
  const startsSo = (word: string) => word.startsWith(current ?? name)
  if (current === undefined) return commands.map((command) => command.name).filter(startsSo)
  const before = args.at(-2)
  if (before === '--payer' || before === '--plan') {
    const names = await listNames(before, current, args, world)
    return [...new Set(names)].filter(startsSo)
  }
  if (!current.startsWith('-')) return []
  const usage = commands.find((command) => command.name === name)?.usage ?? ''
  return optionsIn(usage).filter(startsSo)
}

/** The options that a help text explains or shows. */
export const optionsIn = (usage: string): readonly string[] => [...new Set(usage.match(/(?<=^ .*)--[a-z-]+/gm))]

/** Returns what was found in time: a payer may have tens of thousands of plans. */
async function listNames(
  option: '--payer' | '--plan',
  start: string,
  args: readonly string[],
  world: World,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(maxWaitMs)])
  const payer = args.includes('--payer') ? args[args.lastIndexOf('--payer') + 1] : undefined
  const filter = { ...(option === '--plan' && payer !== undefined && { payer }), ...(start !== '' && { q: start }) }
  const names: string[] = []
  try {
    for await (const entry of connect(readAccess(world)).feeSchedules(filter, { signal }))
      names.push(option === '--payer' ? entry.payer : entry.plan)
  } catch {
    // Completions cannot show errors.
  }
  return names
}

/** Reads a word of a shell as the shell does; its last quote may be open. */
const unquote = (word: string) =>
  word.replace(
    /'([^']*)'?|"((?:[^"\\]|\\.)*)\\?"?|\\(.)/gs,
    (_, single?: string, double?: string, escaped = '') => single ?? double?.replace(/\\(["$`\\])/g, '$1') ?? escaped,
  )

/**
 * Escapes a name so that bash reads it as a word after the quote with which the word begins; bash adds the closing quote.
 * A `!` recalls a command even between double quotes, where no backslash helps. Source: Bash Reference Manual, "Quoting".
 */
function quoteForBash(name: string, quote: string | undefined): string {
  if (quote === "'") return name.replaceAll("'", `'\\''`)
  if (quote === '"') return name.replace(/["$`\\]/g, '\\$&').replaceAll('!', `"'!'"`)
  return name.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&')
}
