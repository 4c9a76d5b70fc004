import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildFile, buildItem } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'load-exit-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, content: object): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

function load(...args: readonly string[]) {
  const command = ['bin/load.ts', ...args, '--create', '--data', join(folder, 'data')]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  return { status, stdout, lastError: stderr.trimEnd().split('\n').at(-1) ?? '' }
}

const toc = buildTableOfContents(
  { plans: [buildPlan('Gold')], files: ['https://rates.example/gold.json'] },
  { plans: [buildPlan('Silver')], files: ['https://rates.example/silver.json'] },
)

describe('the exit code of a load', () => {
  it('equals 3 while plans are left out and 0 once all are loaded, reading no file twice', () => {
    const path = write('toc.json', toc)
    write('gold.json', buildFile({ in_network: [buildItem({ billing_code: '99213' })] }))
    const first = load('--toc', path)
    expect(first).toMatchObject({ status: 3, stdout: expect.stringContaining('Left out: 1 plan') })
    expect(first.stdout).toContain('https://rates.example/silver.json')
    write('silver.json', buildFile({ in_network: [buildItem({ billing_code: '99214' })] }))
    const second = load('--toc', path)
    expect(second).toMatchObject({ status: 0, stdout: expect.stringContaining('Loaded 1 file ') })
    expect(second.stdout).toContain('1 file unchanged since an earlier load')
  }, 300_000)

  it('equals 1 if nothing is loaded, with one line that says why', () => {
    const { status, stdout, lastError } = load('--toc', write('toc.json', toc))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(lastError).toContain('nothing is loaded; Blue Harbor Health / Gold')
  }, 300_000)

  it('equals that of the load for a dry run', () => {
    const dryRun = (...args: readonly string[]) => load('--dry-run', ...args)
    const path = write('toc.json', toc)
    expect(dryRun('--toc', path)).toMatchObject({ status: 1, stdout: expect.stringContaining('The load would fail') })
    write('gold.json', buildFile())
    expect(dryRun('--toc', path)).toMatchObject({ status: 3, stdout: expect.stringContaining('Would load 1 plan') })
    write('silver.json', buildFile())
    expect(dryRun('--toc', path)).toMatchObject({ status: 0, stdout: expect.stringContaining('Would load 2 plans') })
    expect(load('--toc', path)).toMatchObject({ status: 0 })
    write('silver.json', buildFile({ last_updated_on: '2026-10-01' }))
    expect(dryRun('--toc', path)).toMatchObject({ status: 3, stdout: expect.stringContaining('use --allow-older') })
    expect(load('--toc', path)).toMatchObject({ status: 3, stdout: expect.stringContaining('use --allow-older') })
    expect(load('--toc', path, '--allow-older')).toMatchObject({ status: 0 })
  }, 300_000)

  it('equals 2 for arguments that make no sense', () => {
    expect(load()).toMatchObject({ status: 2, lastError: expect.stringContaining('--toc') })
    expect(load('a.json', '--max-failed', '2')).toMatchObject({
      status: 2,
      lastError: expect.stringContaining('--max-failed must be a share such as 1% or 0.01, not "2"'),
    })
    expect(load('a.json', '--keep-missing')).toMatchObject({ status: 2 })
  }, 60_000)

  it.each(['0', '65', 'two'])('equals 2 for --workers %s', (workers) => {
    const path = write('gold.json', buildFile())
    const message = `--workers must be a whole number from 1 to 64, not "${workers}"`
    expect(load(path, '--workers', workers)).toMatchObject({ status: 2, lastError: expect.stringContaining(message) })
  })
})
