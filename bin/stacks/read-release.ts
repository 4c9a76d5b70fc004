import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Release } from '../../lib/stage/release.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Reads from which version a stage is deployed.
 *
 * @param path of the stage file; undefined for one in `stages/`
 */
export function readRelease(stage: string, path: string | undefined): Release {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return { version, commit: readCommit(), stageFile: path === undefined ? `stages/${stage}.json` : basename(path) }
}

function readCommit(): string | undefined {
  const args = ['describe', '--always', '--dirty=-modified', '--abbrev=12', '--exclude=*']
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    // There is no git, or this is no clone.
    return undefined
  }
}
