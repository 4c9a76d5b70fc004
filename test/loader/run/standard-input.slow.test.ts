import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../bin/run-command-line.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'

const items = Array.from({ length: 3000 }, (_, index) => buildItem({ billing_code: String(10_000 + index) }))
const published = Buffer.from(JSON.stringify(buildFile({ in_network: items })))

/** Runs the command with `input` on standard input, split at arbitrary points. */
async function loadPiped(input: Buffer) {
  const data = await mkdtemp(join(tmpdir(), 'piped-'))
  try {
    const child = spawn(process.execPath, ['bin/load.ts', '-', '--data', data, '--create'], { stdio: 'pipe' })
    const closed = once(child, 'close')
    // A command that refuses its input may end before it has read all of it.
    child.stdin.on('error', () => {})
    for (let start = 0; start < input.length; start += 7919) child.stdin.write(input.subarray(start, start + 7919))
    child.stdin.end()
    const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
    const tables = join(data, 'warehouse', 'negotiated_rates')
    return { output, errors, exitCode, sources: await readdir(tables).catch(() => []) }
  } finally {
    await rm(data, { recursive: true })
  }
}

describe('standard input', () => {
  it.each([
    ['plain', published],
    ['as gzip', gzipSync(published)],
  ])('loads like a file, %s', async (_title, input) => {
    const { output, exitCode, sources } = await loadPiped(input)
    expect(exitCode).toBe(0)
    expect(output).toMatch(/3,?000 prices/)
    expect(sources).toHaveLength(1)
  })

  it.each([
    ['cut short', published.subarray(0, -10)],
    ['cut short as gzip', gzipSync(published).subarray(0, -10)],
    ['empty', Buffer.alloc(0)],
  ])('fails with one line and leaves nothing behind if it is %s', async (_title, input) => {
    const { output, errors, exitCode, sources } = await loadPiped(input)
    expect({ output, exitCode, sources }).toEqual({ output: '', exitCode: 1, sources: [] })
    expect(errors.trimEnd().split('\n').at(-1)).toMatch(/standard input|^-|cut short|empty/)
  })

  it('allows to stop the load while the input is silent', async () => {
    const data = await mkdtemp(join(tmpdir(), 'piped-'))
    const child = spawn(process.execPath, ['bin/load.ts', '-', '--data', data, '--create'], { stdio: 'pipe' })
    const closed = once(child, 'close')
    child.stdin.write('{')
    let errors = ''
    for await (const chunk of child.stderr) {
      errors += chunk
      if (String(chunk).includes('reading')) child.kill('SIGINT')
    }
    expect(errors).toBe('reading - (1 of 1)\nerror: stopped; the previous content is still active\n')
    expect(await closed).toEqual([1, null])
    const { output } = await runCommandLine('loads', ['list', '--data', data])
    expect(output).toMatch(/ cancelled /)
    await rm(data, { recursive: true })
  })
})
