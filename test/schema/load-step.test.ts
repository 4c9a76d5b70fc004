import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { loadOrder } from '../../schema/load-order.ts'
import { readGivenOrder, readStep, readStepEnvironment, StepMisused } from '../../schema/load-step.ts'

const environment = {
  LOAD_ID: 'a1b2',
  CATALOGUE_TABLE: 'catalogue',
  CONTENTS_TABLE: 'contents',
  RATES_LOCATION: 's3://rates/prefix/',
  SCRATCH_FOLDER: '/scratch',
  STAGE_NAME: 'prod',
}

describe('the environment of a step of a load', () => {
  it('includes the names that AWS Batch gives its container', () => {
    const batch = { AWS_BATCH_JOB_ID: 'job:3', AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ATTEMPT: '1' }
    expect(readStepEnvironment({ ...environment, ...batch, HOME: '/' })).toEqual({ ...environment, ...batch })
  })

  it('accepts a warehouse in a folder', () => {
    const local = { ...environment, RATES_LOCATION: 'file:///data/warehouse/' }
    expect(readStepEnvironment(local)).toEqual(local)
  })

  it('lists every fault in one line', () => {
    const faulty = { ...environment, LOAD_ID: 'a/b', CATALOGUE_TABLE: '' }
    expect(() => readStepEnvironment(faulty)).toThrow(
      new StepMisused(
        "the environment of the load's step is not valid: LOAD_ID must have 1 to 64 letters, digits and hyphens; " +
          'CATALOGUE_TABLE is not set',
      ),
    )
  })
})

describe('the arguments of a step of a load', () => {
  it.each(['plan', 'work', 'finish'])('name the step %s', (step) => {
    expect(readStep([step])).toBe(step)
  })

  it.each([[[]], [['unknown']], [['plan', 'work']]])('refuse %j', (args) => {
    expect(() => readStep(args)).toThrow('name one step: plan, work, finish')
  })
})

describe('the order of a load', () => {
  const faultsOf = (order: object) => v.safeParse(loadOrder, order).issues?.map(({ message }) => message) ?? []

  it('names a table of contents or files, by their URLs', () => {
    const order = { toc: 'https://rates.example/toc.json?Signature=a', partial: true, maxFailed: 0.1 }
    expect(v.parse(loadOrder, order)).toEqual({ ...order, files: [] })
    expect(faultsOf({ files: ['https://rates.example/a.json'] })).toEqual([])
  })

  it.each<[object, string]>([
    [{}, 'must have either toc, or files with at least one URL'],
    [
      { toc: 'https://a.example/t', files: ['https://a.example/f'] },
      'must have either toc, or files with at least one URL',
    ],
    [{ toc: 'toc.json' }, 'must be the URL of a file'],
    [{ toc: 'https://a.example/t', maxFailed: 10 }, 'must be a number from 0 to 1'],
    [{ toc: 'https://a.example/t', connections: 0 }, 'must be a whole number from 1 to 32'],
    [
      { toc: 'https://a.example/t', add: true, replace: true },
      'may have add or replace, not both: add keeps files that replace would drop',
    ],
    [{ files: ['https://a.example/f'], keepMissing: true }, 'may have keepMissing only with toc'],
  ])('refuses %j', (order, fault) => {
    expect(faultsOf(order)).toEqual([fault])
  })

  it('refuses unknown options', () => {
    expect(faultsOf({ toc: 'https://a.example/t', fileMap: 'map.json' })).toHaveLength(1)
  })
})

describe('the order in the environment', () => {
  it.each([undefined, '{}', ' { } '])('does not exist for %j', (LOAD_ORDER) => {
    expect(readGivenOrder({ LOAD_ORDER })).toBeUndefined()
  })

  it('refuses a faulty order without showing URLs, which can be signed', () => {
    const toc = 'https://rates.example/toc.json?Signature=secret'
    expect(readGivenOrder({ LOAD_ORDER: JSON.stringify({ toc }) })).toEqual({ toc, files: [] })
    const faulty = JSON.stringify({ toc: `x${toc}`, partial: toc })
    expect(() => readGivenOrder({ LOAD_ORDER: faulty })).toThrow(
      new StepMisused('LOAD_ORDER is not valid: toc must be the URL of a file; partial must be true or false'),
    )
    expect(() => readGivenOrder({ LOAD_ORDER: `{"toc": "${toc}"` })).toThrow(
      new StepMisused('LOAD_ORDER is not valid: is not JSON'),
    )
  })
})
