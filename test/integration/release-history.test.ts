import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findLastRelease } from './release-history.ts'

let folder: string
let checkout: string

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', checkout, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

/** Commits a change of the manifest, or of nothing. @returns the commit */
function commit(manifest?: { readonly version: string; readonly description?: string }): string {
  if (manifest !== undefined) writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest, null, 2))
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '-m', 'x')
  return git('rev-parse', 'HEAD')
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'releases-'))
  checkout = join(folder, 'checkout')
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', checkout])
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the last release', () => {
  it('changed the version last, whatever else was changed in the manifest since', async () => {
    commit({ version: '0.1.0' })
    const release = commit({ version: '0.2.0' })
    commit({ version: '0.2.0', description: 'changed' })
    commit()
    expect(await findLastRelease(checkout)).toEqual({ commit: release, version: '0.2.0' })
  })

  it('precedes the present commit, even if the present commit is a release', async () => {
    commit({ version: '0.1.0' })
    const earlier = commit({ version: '0.2.0' })
    commit()
    const release = commit({ version: '0.3.0' })
    expect(await findLastRelease(checkout)).toEqual({ commit: earlier, version: '0.2.0' })
    commit()
    expect(await findLastRelease(checkout)).toEqual({ commit: release, version: '0.3.0' })
  })

  it('equals the merge that brought a version to the branch', async () => {
    commit({ version: '0.1.0' })
    git('checkout', '--quiet', '-b', 'release')
    commit({ version: '0.2.0' })
    git('checkout', '--quiet', 'main')
    git('merge', '--quiet', '--no-ff', '-m', 'merge', 'release')
    const merge = git('rev-parse', 'HEAD')
    commit()
    expect(await findLastRelease(checkout)).toEqual({ commit: merge, version: '0.2.0' })
  })

  it('equals the first commit of a history that never changed the version, unless that commit is present', async () => {
    const first = commit({ version: '0.1.0' })
    expect(await findLastRelease(checkout)).toBeUndefined()
    commit()
    expect(await findLastRelease(checkout)).toEqual({ commit: first, version: '0.1.0' })
  })

  it('remains unknown in a clone that is cut off too early, and not in a clone that reaches far enough', async () => {
    commit({ version: '0.1.0' })
    const release = commit({ version: '0.2.0' })
    for (let index = 0; index < 3; index++) commit()
    const clone = (depth: number) => {
      const path = join(folder, `depth-${depth}`)
      execFileSync('git', ['clone', '--quiet', '--depth', `${depth}`, `file://${checkout}`, path])
      return path
    }
    for (const depth of [1, 2, 3]) expect(await findLastRelease(clone(depth))).toBeUndefined()
    expect(await findLastRelease(clone(5))).toEqual({ commit: release, version: '0.2.0' })
  })

  it('remains unknown outside of a checkout', async () => {
    rmSync(join(checkout, '.git'), { recursive: true })
    expect(await findLastRelease(checkout)).toBeUndefined()
  })
})
