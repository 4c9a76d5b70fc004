import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as v from 'valibot'

const run = promisify(execFile)

/** A commit that changed the version of `package.json`. */
export interface ReleaseCommit {
  readonly commit: string
  readonly version: string
}

/** Runs git in a checkout. @returns its output without the last line break; undefined if it fails */
async function git(checkout: string, ...args: readonly string[]): Promise<string | undefined> {
  const output = await run('git', args, { cwd: checkout, maxBuffer: 64 * 1024 ** 2 }).catch(() => undefined)
  return output?.stdout.trimEnd()
}

/** Reads the version of a commit; undefined if the checkout lacks the commit or the commit has no `package.json`. */
async function readVersionAt(checkout: string, commit: string): Promise<string | undefined> {
  const manifest = await git(checkout, 'show', `${commit}:package.json`)
  return manifest === undefined ? undefined : v.parse(v.object({ version: v.string() }), JSON.parse(manifest)).version
}

/**
 * Finds the last release before the present commit of a checkout: the last commit that changed the version, other than
 * the present one. Needs no tags, which many clones lack.
 *
 * @returns undefined if the history has none, or is cut off before it, as in a shallow clone
 */
export async function findLastRelease(checkout: string): Promise<ReleaseCommit | undefined> {
  // A merge counts as one change of the branch that it is merged into.
  const args = ['--first-parent', '-m', '--format=%H', '-G"version": ', 'HEAD^', '--', 'package.json']
  const commits = await git(checkout, 'log', ...args)
  for (const commit of commits?.split('\n').filter(Boolean) ?? []) {
    const [version, earlier] = await Promise.all([
      readVersionAt(checkout, commit),
      readVersionAt(checkout, `${commit}^`),
    ])
    if (version === undefined || version === earlier) continue
    // The first commit of a cut history seems to change every file.
    const isCut = earlier === undefined && (await git(checkout, 'rev-parse', '--is-shallow-repository')) === 'true'
    return isCut ? undefined : { commit, version }
  }
  return undefined
}

/** Checks a commit out into a new folder and installs its packages; both checkouts share their commits. */
export async function checkOut(checkout: string, commit: string, folder: string): Promise<void> {
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', checkout, folder])
  await run('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder })
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
}
