import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../templates/source-files.ts'
import { dev } from '../templates/templates.ts'

const run = promisify(execFile)
const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'assembly-')))

/** The files of an assembly by path. */
function readAssembly(folder: string | undefined): Readonly<Record<string, string>> {
  if (folder === undefined) return {}
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const files = paths.filter((path) => statSync(join(folder, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'base64')]))
}

beforeAll(async () => {
  await Promise.all(
    folders.map((folder) =>
      run(process.execPath, ['bin/app.ts'], { cwd: root, env: { ...process.env, CDK_OUTDIR: folder } }),
    ),
  )
})

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('synthesis', () => {
  it('produces the same bytes in every process', () => {
    const [one, other] = folders.map(readAssembly)
    expect(Object.keys(one ?? {})).toEqual(expect.arrayContaining(['SearchService.template.json', 'manifest.json']))
    expect(Object.keys(other ?? {})).toEqual(Object.keys(one ?? {}))
    const different = Object.entries(one ?? {}).filter(([path, bytes]) => other?.[path] !== bytes)
    expect(different.map(([path]) => path)).toEqual([])
  })

  it('reveals nothing about the machine it ran on', () => {
    const [folder = ''] = folders
    const text = readFileSync(join(folder, 'SearchService.template.json'), 'utf8')
    expect(text).not.toContain(root)
    expect(text).not.toContain(tmpdir())
  })
})

describe('the resources of a stage', () => {
  /** Ids of versions and deployments contain a hash of the code, so they change with it. */
  const stable = (id: string) => id.replace(/[0-9a-f]{32}$/, '')

  it('keep their logical ids, because a changed id replaces the resource', () => {
    const { service, warehouse } = dev()
    const lines = [...service, ...warehouse].map(({ id, type }) => `${type} ${stable(id)}`)
    expect(`${lines.sort().join('\n')}\n`).toMatchSnapshot()
  })
})
