import { describe, expect, it } from 'vitest'
import { readStackTemplate } from '../../../local/stack-template.ts'
import { readStateMachines } from '../../../local/step-functions/state-machine.ts'
import { readJob } from '../../local/batch/endpoint.ts'
import { JobFailed, type JobRequest } from '../../local/batch/jobs.ts'
import { loaded } from '../../templates/templates.ts'

/** Starts the workflow of loads from the template, with jobs that a test runs. */
function start(input: object, runJob: (request: JobRequest, stop: AbortSignal) => Promise<unknown>) {
  const requests: JobRequest[] = []
  const machines = readStateMachines(
    readStackTemplate(loaded().folder, 'SearchService'),
    async () => ({ outcome: 'threw', errorType: 'Unexpected', errorMessage: 'it calls no function' }),
    async (parameters, stop) => {
      const request = readJob(parameters)
      requests.push(request)
      return runJob(request, stop)
    },
  )
  const machine = machines.find(({ arn }) => arn.includes('Loads'))
  if (machine === undefined) throw new TypeError('the template has no workflow of loads')
  return { requests, ...machine.start(JSON.stringify(input)) }
}

const stepsOf = (requests: readonly JobRequest[]) => requests.map(({ name }) => name.replace('load-l1-', ''))

const manual = { loadId: 'l1', workers: 7, order: {} }

describe('the workflow of a load', () => {
  it('plans, works with as many workers as asked for, and finishes', async () => {
    const { requests, result } = start(manual, async () => ({}))
    expect(await result).toEqual(manual)
    expect(stepsOf(requests)).toEqual(['plan', 'work', 'finish'])
    expect(requests.map(({ size }) => size)).toEqual([undefined, 7, undefined])
    expect(requests.map(({ definition }) => /Loads(\w+?)Definition/.exec(definition)?.[1])).toEqual([
      'Plan',
      'Work',
      'Finish',
    ])
    expect(requests.map(({ environment }) => environment)).toEqual([
      { LOAD_ID: 'l1', LOAD_ORDER: '{}' },
      { LOAD_ID: 'l1' },
      { LOAD_ID: 'l1' },
    ])
  })

  it('passes the order of a schedule to the plan', async () => {
    const order = { toc: 'https://payer.example/index.json', files: [], partial: true }
    const { requests, result } = start({ ...manual, order }, async () => ({}))
    await result
    expect(JSON.parse(requests[0]?.environment['LOAD_ORDER'] ?? '')).toEqual(order)
  })

  it('finishes if workers failed, and then succeeds or fails like finish', async () => {
    const broken = (...steps: readonly string[]) =>
      start(manual, async ({ name }) => {
        if (steps.some((step) => name.endsWith(step))) throw new JobFailed(`${name} failed`)
      })
    const one = broken('work')
    await one.result
    expect(stepsOf(one.requests)).toEqual(['plan', 'work', 'finish'])
    const other = broken('work', 'finish')
    await expect(other.result).rejects.toThrow('load-l1-finish failed')
  })

  it('finishes without workers if there is no plan', async () => {
    const { requests, result } = start(manual, async ({ name }) => {
      if (!name.endsWith('work')) throw new JobFailed(`${name} failed`)
    })
    await expect(result).rejects.toThrow('load-l1-finish failed')
    expect(stepsOf(requests)).toEqual(['plan', 'finish'])
  })

  it('ends the job of its step when it is stopped', async () => {
    const stopped = Promise.withResolvers<string>()
    const { result, abort } = start(
      manual,
      ({ name }, stop) =>
        new Promise((resolve) => {
          stop.addEventListener('abort', () => {
            stopped.resolve(name)
            resolve({})
          })
          queueMicrotask(abort)
        }),
    )
    await expect(result).rejects.toThrow('aborted')
    expect(await stopped.promise).toBe('load-l1-plan')
  })
})
