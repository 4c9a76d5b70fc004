import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cacheBundles } from '../../../lib/functions/bundle-cache.ts'
import { bundleFunctions } from '../../../lib/functions/function-code.ts'

const folder = mkdtempSync(join(tmpdir(), 'bundles-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Reads the files of a folder, by path. */
const readAll = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => [
      join(entry.parentPath, entry.name).slice(path.length),
      readFileSync(join(entry.parentPath, entry.name)),
    ])

describe('the cache of bundles', () => {
  it('returns the bytes of a fresh build, and builds only once', () => {
    let builds = 0
    const build = () => {
      builds += 1
      return bundleFunctions()
    }
    const [first, second] = [cacheBundles('functions', build, folder), cacheBundles('functions', build, folder)]
    expect([builds, first]).toEqual([1, second])
    expect(readAll(first)).toEqual(readAll(bundleFunctions()))
    expect(readAll(first).length).toBeGreaterThan(20)
  })

  it('deletes what was built more than a day ago of other sources', () => {
    const outdated = mkdtempSync(join(folder, 'functions-'))
    utimesSync(outdated, 0, 0)
    cacheBundles('others', bundleFunctions, folder)
    expect(readdirSync(folder).map((name) => name.replace(/-.*/, ''))).toEqual(['functions', 'others'])
  })
})
