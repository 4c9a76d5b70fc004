import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { bundleStep } from '../../../lib/loads/step-code.ts'
import { root } from '../../templates/source-files.ts'

it('bundles the steps reproducibly, with their licences and without a trace of this machine', () => {
  const [one = '', other] = [bundleStep(), bundleStep()].map((path) => readFileSync(path, 'utf8'))
  expect(other).toBe(one)
  expect(one).not.toContain(root)
  expect(one).not.toContain(tmpdir())
  expect(one).toMatch(/\nhyparquet-writer [\d.]+\nLicence: MIT\n/)
  expect(one).not.toContain('duckdb')
})
