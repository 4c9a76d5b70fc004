import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../run-command-line.ts'

describe('npm run demo', () => {
  it('prints what rate-search summary prints of both plans of the employer, and gives each run a folder of its own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'demo-'))
    try {
      const runs = [
        await runCommandLine('samples/demo', ['--data', folder]),
        await runCommandLine('samples/demo', ['--data', folder]),
      ]
      for (const { output, exitCode } of runs) {
        expect(exitCode).toBe(0)
        for (const plan of ['Harbor Choice Plus', 'Ridge Open Access'])
          expect(output).toMatch(new RegExp(`  ${plan} .* negotiated .*\\d`))
        expect(output).toContain('LEFT_OUT_COUNT')
      }
      const results = join(folder, 'results')
      expect(readdirSync(results).sort()).toEqual(['1', '2'])
      const jobs = ['1', '2'].map(
        (run) => new Set(readdirSync(join(results, run)).map((name) => name.replace(/^_/, '').slice(0, 36))),
      )
      expect(jobs.map(({ size }) => size)).toEqual([1, 1])
      expect(jobs[0]).not.toEqual(jobs[1])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
