import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { listPaths, readText, root } from '../../templates/source-files.ts'

const scripts: Readonly<Record<string, string>> = JSON.parse(readText('package.json')).scripts
const documents = listPaths().filter((path) => /^(README|CONTRIBUTING|docs\/[\w-]+|stages\/README)\.md$/.test(path))

/** Blocks of code without a language, or for bash. */
const blocksOf = (path: string) =>
  [...readText(path).matchAll(/^( *)```(?:bash[^\n]*)?\n([\s\S]*?)^\1```$/gm)].map(([, , block = '']) => block)

/** A block is for a shell if its first line begins with a program, and not with what one printed. */
const isShell = (block: string) =>
  /^ *(?:#|\$ |aws|bash|cd|curl|docker|export|git|npm|npx|[a-z]+=)/.test(block) && !/^ok {2}/.test(block)

/** The lines that are pasted: of a session with prompts, only those after a prompt; each placeholder is a word. */
function readPasted(block: string): string {
  const lines = block.split('\n')
  const isSession = lines.some((line) => line.startsWith('$ '))
  const pasted: string[] = []
  for (const line of lines) {
    // A quote that a line opens ends on a later one.
    const isOpen = (pasted.join('\n').split("'").length - 1) % 2 === 1
    if (!isSession || isOpen) pasted.push(line)
    else if (line.startsWith('$ ')) pasted.push(line.slice(2))
  }
  return pasted.join('\n').replaceAll(/<[a-z][^<>\n]*>/gi, 'placeholder')
}

const shellBlocks = documents.flatMap((path) =>
  blocksOf(path)
    .filter(isShell)
    .map((block) => ({ path, pasted: readPasted(block) })),
)

/** The options of commands of npm in all documents, each with the documents that use it. */
const options = [
  ...new Map(
    documents.flatMap((path) => {
      const text = readText(path).replaceAll(/\\\n */g, '')
      return [...text.matchAll(/npm run (?:--silent )?([\w:-]+)(?: --silent)? -- ([^\n`#;&|]*)/g)].flatMap(
        ([, script = '', words = '']) =>
          [...words.replaceAll(/'[^']*'|"[^"]*"/g, '').matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => {
            const [command = ''] = words.split(' ')
            return [`${script} ${command} ${option}`, { script, command, option, path }] as const
          }),
      )
    }),
  ).values(),
]

/** Documents, help and hints: each line of code, and each text in backquotes. */
const shownLines = listPaths()
  .filter((path) => /^(?!docs\/adr|CHANGELOG|test\/).*\.(?:md|tsx?|yml)$/.test(path))
  .flatMap((path) =>
    readText(path)
      .replaceAll(/\\\n */g, '')
      .replaceAll(/\\\|/g, '/')
      .split('\n')
      .map((line) => ({ path, line: line.replaceAll(/<[^<>]*>|\[[^[\]]*\]|(?<=--\S+ )'[^']*'/g, 'x') })),
  )

/** A command of npm whose output another program may read: substituted, piped, in a file, as JSON, or any command. */
const loudCommand =
  /(?:[$<]\(npm (?:run|start)|npm (?:run|start)[^`#;&|>"]*(?: \|(?= [a-z])| >|\bmcp\b|--json\b|--csv\b|rate-search (?:--silent )?-- x))[^`#;&|)]*/g

describe('the commands of documents, help and hints', () => {
  it('let npm print nothing into what another program reads', () => {
    const commands = shownLines.flatMap(({ path, line }) =>
      [...line.matchAll(loudCommand)].map(([text]) => ({ path, text })),
    )
    expect(commands.length).toBeGreaterThan(4)
    expect(commands.filter(({ text }) => !text.includes('--silent'))).toEqual([])
  })
})

describe('the lines that documents give to paste', () => {
  it('come from many pages', () => {
    expect(new Set(shellBlocks.map(({ path }) => path)).size).toBeGreaterThan(10)
    expect(shellBlocks.length).toBeGreaterThan(40)
  })

  it.each(documents)('parse as bash: %s', (path) => {
    const faults = shellBlocks.flatMap((block) => {
      if (block.path !== path) return []
      const { status, stderr } = spawnSync('bash', ['-n'], { input: block.pasted, encoding: 'utf8' })
      return status === 0 ? [] : [`${stderr}${block.pasted}`]
    })
    expect(faults).toEqual([])
  })
})

describe('the options of npm commands in documents', () => {
  const programs = Map.groupBy(
    options.flatMap((each) => {
      const [program] = /(?:bin|client)\/\S+\.ts(?: \w+)?/.exec(scripts[each.script] ?? '') ?? []
      // The command line of clients has a help for each of its commands.
      const command = each.script === 'rate-search' ? ` ${each.command}` : ''
      return program === undefined ? [] : [{ ...each, program: program + command }]
    }),
    ({ program }) => program,
  )

  it('belong to many commands', () => {
    expect(programs.size).toBeGreaterThan(12)
  })

  it.each([...programs])('appear in the help of the command: %s', (program, used) => {
    const { stdout } = spawnSync(process.execPath, [...program.split(' '), '--help'], { encoding: 'utf8', cwd: root })
    expect(stdout).toMatch(/usage:/i)
    const missing = used.filter(({ option }) => !new RegExp(`${option}(?![\\w-])`).test(stdout))
    expect(missing.map(({ script, option, path }) => `${path}: npm run ${script} has no ${option}`)).toEqual([])
  })
})
