import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import type { Stage } from '../../lib/stage.ts'
import { defaultStage, stages } from '../../lib/stage.ts'
import { findStageFaults } from '../../lib/stage-faults.ts'
import { addStacks } from '../../lib/synthesise.ts'

const faultsOf = (changes: Partial<Stage>) => findStageFaults({ ...defaultStage, ...changes })

describe('a stage', () => {
  it.each(Object.entries<Stage>(stages))('%s is valid as checked in', (_, stage) => {
    expect(findStageFaults(stage)).toEqual([])
  })

  it.each(['retentionDays', 'waitingHours', 'runningHours'] as const)('needs a whole number for %s', (field) => {
    for (const value of [0, -1, 3.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(faultsOf({ [field]: value })).toEqual([`${field} must be a whole number of at least 1, not ${value}`])
    expect(faultsOf({ [field]: 1 })).toEqual([])
  })

  it('needs a data limit that Athena accepts', () => {
    expect(faultsOf({ dataLimitBytes: 10_000_000 })).toEqual([])
    expect(faultsOf({ dataLimitBytes: 9_999_999 })).toEqual([
      'dataLimitBytes must be a whole number of at least 10000000, not 9999999',
    ])
  })

  it('needs a throttle that admits requests', () => {
    expect(faultsOf({ throttle: { requestsPerSecond: 0, burst: 0.5 } })).toEqual([
      'throttle.requestsPerSecond must be a whole number of at least 1, not 0',
      'throttle.burst must be a whole number of at least 1, not 0.5',
    ])
  })

  it('must keep requests for longer than a job may wait and run', () => {
    expect(faultsOf({ retentionDays: 1, waitingHours: 48, runningHours: 23 })).toEqual([])
    expect(faultsOf({ retentionDays: 1, waitingHours: 48, runningHours: 24 })).toEqual([
      'waitingHours + runningHours must be less than 72, not 72: with retentionDays 1 a request is deleted 72 hours after its creation',
    ])
  })

  it.each(['', 'a b', 'a_b', 'x'.repeat(65)])('cannot be called "%s"', (name) => {
    expect(faultsOf({ name })).toEqual(['name must have 1 to 64 letters, digits and hyphens'])
  })

  it.each([
    'https://rates.example/',
    'https://rates.example/v2/',
    'rates.example',
    'ftp://rates.example',
    'https://rates.example?x=1',
    'https://rates.example#x',
    'https://key@rates.example',
    '',
  ])('cannot have the public base URL %s', (publicBaseUrl) => {
    expect(faultsOf({ publicBaseUrl })).toEqual([
      `publicBaseUrl must be an http or https URL without a slash at its end, not "${publicBaseUrl}"`,
    ])
  })

  it('can have a public base URL with a path and placeholders', () => {
    expect(
      faultsOf({ publicBaseUrl: 'https://{apiId}.{domain}/a/{stage}', athenaEndpoint: 'http://127.0.0.1:1' }),
    ).toEqual([])
    expect(faultsOf({ athenaEndpoint: 'http://127.0.0.1:1/' })).toHaveLength(1)
  })

  it('that is invalid is not synthesised, and all faults are reported in one line', () => {
    const stage = { ...defaultStage, retentionDays: 0, waitingHours: 0.5 }
    expect(() => addStacks(new App(), stage)).toThrow(
      'the stage "dev" is not valid: retentionDays must be a whole number of at least 1, not 0; ' +
        'waitingHours must be a whole number of at least 1, not 0.5',
    )
  })

  it('that does not exist ends synthesis with one line and exit code 1', () => {
    const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'prd' }) }
    const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '../../bin/app.ts')], { env })
    expect(String(stderr)).toBe('error: there is no stage "prd"; lib/stage.ts has dev, prod, local, emulator\n')
    expect(status).toBe(1)
  })
})
