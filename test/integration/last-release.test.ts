import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findLastRelease } from './last-release.ts'

let checkout: string

const git = (...args: readonly string[]) => execFileSync('git', ['-C', checkout, ...args])
const commit = () =>
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'x')

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'releases-'))
  git('init', '--quiet')
  commit()
})

afterEach(() => rmSync(checkout, { recursive: true }))

describe('the last release', () => {
  it('does not exist in a checkout without tags, or outside of a checkout', async () => {
    expect(await findLastRelease(checkout)).toBeUndefined()
    rmSync(join(checkout, '.git'), { recursive: true })
    expect(existsSync(join(checkout, '.git'))).toBe(false)
    expect(await findLastRelease(checkout)).toBeUndefined()
  })

  it('carries the latest version tag before this commit, whatever other tags exist', async () => {
    git('tag', 'v0.1.0')
    commit()
    git('tag', 'v0.2.0')
    commit()
    git('tag', 'verified')
    git('tag', 'nightly')
    commit()
    git('tag', 'v0.3.0')
    expect(await findLastRelease(checkout)).toBe('v0.2.0')
  })
})
