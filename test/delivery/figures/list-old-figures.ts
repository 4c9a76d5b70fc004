import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Figures, isFigurePage, measureChange, readFigures } from './figures.ts'

/** The share of changed code above which figures are named. */
const maxChange = 0.25

/**
 * Names the figures of a checkout's pages whose code has changed much since they were measured. It is a reminder before
 * a release, not a fault: measuring takes hours.
 *
 * @returns a line for each
 */
export async function listOldFigures(checkout: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '*.md'], { cwd: checkout })
  const pages = stdout.split('\n').filter(isFigurePage)
  const figures = await Promise.all(
    pages.map(async (page) => readFigures(page, await readFile(join(checkout, page), 'utf8'))),
  )
  const lines: string[] = []
  for (const each of figures.flat()) {
    const change = await measureChange(checkout, each)
    if (change === undefined || change > maxChange) lines.push(describe(each, change))
  }
  return lines
}

function describe({ position, day, commit, code }: Figures, change: number | undefined): string {
  const start = `${position}: measured ${day} at ${commit}`
  if (change === undefined)
    return `${start}: how much ${code.join(', ')} changed since is unknown, this clone lacks the commit`
  if (change === Infinity) return `${start}, which has no ${code.join(', ')}`
  return `${start}; since then ${Math.round(change * 100)} % of ${code.join(', ')} changed`
}

if (import.meta.main) for (const each of await listOldFigures('.')) process.stdout.write(`${each}\n`)
