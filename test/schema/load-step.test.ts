import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { loadOrder } from '../../schema/load-order.ts'
import { readStep, readStepEnvironment, StepMisused } from '../../schema/load-step.ts'

const environment = {
  LOAD_ID: 'a1b2',
  CATALOGUE_TABLE: 'catalogue',
  CONTENTS_TABLE: 'contents',
  RATES_LOCATION: 's3://rates/prefix/',
  DATABASE_NAME: 'rates',
  SCRATCH_FOLDER: '/scratch',
}

describe('the environment of a step of a load', () => {
  it('has the names that AWS Batch gives its container', () => {
    const batch = { AWS_BATCH_JOB_ID: 'job:3', AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ATTEMPT: '1' }
    expect(readStepEnvironment({ ...environment, ...batch, HOME: '/' })).toEqual({ ...environment, ...batch })
  })

  it('needs no database for a warehouse in a folder', () => {
    const { DATABASE_NAME: _, ...local } = { ...environment, RATES_LOCATION: 'file:///data/warehouse/' }
    expect(readStepEnvironment(local)).toEqual(local)
  })

  it('is refused with every fault in one line', () => {
    const faulty = { ...environment, LOAD_ID: 'a/b', CATALOGUE_TABLE: '', DATABASE_NAME: undefined }
    expect(() => readStepEnvironment(faulty)).toThrow(
      new StepMisused(
        "the environment of the load's step is not valid: LOAD_ID must have 1 to 64 letters, digits and hyphens; " +
          'CATALOGUE_TABLE is not set; DATABASE_NAME is not set',
      ),
    )
  })
})

describe('the arguments of a step of a load', () => {
  it.each(['plan', 'work', 'finish'])('may be %s', (step) => {
    expect(readStep([step])).toBe(step)
  })

  it.each([[[]], [['unknown']], [['plan', 'work']]])('may not be %j', (args) => {
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
  ])('may not be %j', (order, fault) => {
    expect(faultsOf(order)).toEqual([fault])
  })

  it('has no options that are unknown', () => {
    expect(faultsOf({ toc: 'https://a.example/t', fileMap: 'map.json' })).toHaveLength(1)
  })
})
