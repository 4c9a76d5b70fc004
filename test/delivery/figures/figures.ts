import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Pages whose figures are measured by hand: README.md also has what it repeats of them. */
export const isFigurePage = (path: string) =>
  path === 'README.md' || (path.startsWith('docs/measured/') && path !== 'docs/measured/README.md')

/** The origin of figures, as their page states it. */
export interface Figures {
  /** File and line. */
  readonly position: string
  readonly day: string
  readonly commit: string
  /** Files and folders of the code that was measured. */
  readonly code: readonly string[]
}

const line = /^<!-- measured (\d{4}-\d{2}-\d{2}) at ([0-9a-f]{8,40}) of ([\w./-]+(?:, [\w./-]+)*) -->$/

/**
 * Reads the comments of a page that say when and at which commit the figures below them were measured:
 * `<!-- measured 2026-11-22 at 53a829e5 of core, adapters -->`.
 *
 * @throws TypeError if a comment has another form
 */
export function readFigures(path: string, text: string): readonly Figures[] {
  return text.split('\n').flatMap((each, index) => {
    const [comment] = /<!-- *measured.*$/.exec(each) ?? []
    if (comment === undefined) return []
    const position = `${path}:${index + 1}`
    const [, day, commit, code] = line.exec(comment) ?? []
    if (day === undefined || commit === undefined || code === undefined)
      throw new TypeError(`${position}: not in the form <!-- measured 2026-11-22 at 53a829e5 of core, adapters -->`)
    return [{ position, day, commit, code: code.split(', ') }]
  })
}

/** The tree of no files, which every repository has. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/**
 * Computes how much code has changed since a commit: lines changed, divided by the lines that it had. A line that was
 * edited counts once.
 *
 * @returns undefined if the checkout lacks the commit, as shallow clones do; Infinity if the commit lacks the code
 */
export async function measureChange(checkout: string, { commit, code }: Figures): Promise<number | undefined> {
  const countLines = async (from: string, to: string) => {
    const args = ['diff', '--numstat', '--find-renames', from, to, '--', ...code]
    const { stdout } = await run('git', args, { cwd: checkout, maxBuffer: 64 * 1024 ** 2 })
    const counts = stdout.split('\n').map((each) => /^(\d+)\t(\d+)/.exec(each) ?? ['', '0', '0'])
    return counts.reduce((sum, [, added, removed]) => sum + Math.max(Number(added), Number(removed)), 0)
  }
  try {
    return (await countLines(commit, 'HEAD')) / (await countLines(emptyTree, commit))
  } catch {
    return undefined
  }
}
