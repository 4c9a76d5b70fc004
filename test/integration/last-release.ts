import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Returns the latest tag `v…` before the commit of a checkout; undefined if there is none. */
export async function findLastRelease(checkout: string): Promise<string | undefined> {
  const args = ['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^']
  const output = await promisify(execFile)('git', args, { cwd: checkout }).catch(() => undefined)
  return output?.stdout.trim()
}

/** Returns true if a checkout has a commit; a shallow clone lacks earlier ones. */
export async function hasCommit(checkout: string, commit: string): Promise<boolean> {
  const args = ['cat-file', '-e', `${commit}^{commit}`]
  const found = await promisify(execFile)('git', args, { cwd: checkout }).catch(() => undefined)
  return found !== undefined
}

/** Checks a tag or commit out into a new folder and installs its packages; both checkouts share their commits. */
export async function checkOut(checkout: string, version: string, folder: string): Promise<void> {
  const run = promisify(execFile)
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', checkout, folder])
  await run('git', ['checkout', '--quiet', '--detach', version], { cwd: folder })
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
}
