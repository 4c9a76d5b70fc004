import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { readTracedRequest } from '../../faults/proxy/traced-request.ts'
import { openFunctions, type TestFunctions } from '../bundles.ts'

/** A bundle that does what its event says and counts its environment's invocations. */
const obedient = `
  let count = 0
  export const handler = async ({ does, word }) => {
    count += 1
    if (does === 'exit') process.exit(3)
    if (does === 'throw') throw Object.assign(new Error('it broke'), { name: 'Broken' })
    if (does === 'throw a string') throw word
    if (does === 'throw later') { setTimeout(() => { throw new Error('later') }); await new Promise(() => {}) }
    if (does === 'reject unhandled') { Promise.reject(new Error('unseen')); await new Promise(() => {}) }
    if (does === 'return its trace') return process.env._X_AMZN_TRACE_ID
    if (does === 'never return') await new Promise(() => {})
    if (does === 'spin') for (;;) count += 1
    if (does === 'exhaust the heap') for (const kept = [];;) kept.push(new Array(1_000_000).fill(kept.length))
    if (does === 'return nothing') return
    if (does === 'return a circular value') { const circle = {}; circle.circle = circle; return circle }
    if (does === 'return a bigint') return 10n
    return { count, word }
  }`

const open = (timeoutSeconds = 20) => openFunctions({ Obedient: { bundle: obedient, timeoutSeconds } })

const invoke = (functions: TestFunctions, event: object, name = 'Obedient') =>
  functions.invoke(functions.arnOf(name), event, 'request-1')

const returned = (payload: unknown) => ({ outcome: 'returned', payload: JSON.stringify(payload) })

describe('an environment', () => {
  it('serves one invocation after another and keeps its state between them', async () => {
    await using functions = open()
    expect(await invoke(functions, { word: 'ä' })).toEqual(returned({ count: 1, word: 'ä' }))
    expect(await invoke(functions, { word: 'b' })).toEqual(returned({ count: 2, word: 'b' }))
  })

  it('returns null for a handler that returns nothing', async () => {
    await using functions = open()
    expect(await invoke(functions, { does: 'return nothing' })).toEqual(returned(null))
  })

  it.each([
    ['throw', { errorType: 'Broken', errorMessage: 'it broke' }],
    ['throw a string', { errorType: 'Error', errorMessage: 'word' }],
    ['return a circular value', { errorType: 'TypeError', errorMessage: expect.stringContaining('circular') }],
    ['return a bigint', { errorType: 'TypeError', errorMessage: expect.stringContaining('BigInt') }],
  ])('reports the error of a handler that does "%s", and survives', async (does, error) => {
    await using functions = open()
    expect(await invoke(functions, { does, word: 'word' })).toEqual({ outcome: 'threw', ...error })
    expect(await invoke(functions, { word: 'next' })).toEqual(returned({ count: 2, word: 'next' }))
  })

  it.each([
    ['crash', 'Runtime.ExitError'],
    ['time-out', 'Sandbox.Timedout'],
  ] as const)('gets replaced after an early end by %s', async (how, errorType) => {
    await using functions = open()
    await invoke(functions, {})
    const crashing = invoke(functions, { does: 'never return' })
    await new Promise((resolve) => setImmediate(resolve))
    functions.end('request-1', how)
    expect(await crashing).toMatchObject({ outcome: 'threw', errorType })
    expect(await invoke(functions, {})).toEqual(returned({ count: 1 }))
  })

  it('gives each invocation a trace that identifies its request', async () => {
    await using functions = open()
    const requestId = '192ad721-8d44-4730-aa9e-f15ac7dc236e'
    const result = await functions.invoke(functions.arnOf('Obedient'), { does: 'return its trace' }, requestId)
    expect(result).toEqual(returned('Root=1-192ad721-8d444730aa9ef15ac7dc236e;Sampled=0'))
    expect(readTracedRequest(result.outcome === 'returned' ? result.payload : undefined)).toBe(requestId)
    expect(readTracedRequest(undefined)).toBeUndefined()
  })

  it.each(['exit', 'throw later', 'reject unhandled', 'exhaust the heap'])(
    'gives way to another after its handler does "%s"',
    async (does) => {
      await using functions = open()
      await invoke(functions, {})
      expect(await invoke(functions, { does })).toMatchObject({
        outcome: 'threw',
        errorType: 'Runtime.ExitError',
        errorMessage: expect.stringMatching(/^RequestId: request-1 Error: Runtime exited with error: exit status \d$/),
      })
      expect(await invoke(functions, { word: 'next' })).toEqual(returned({ count: 1, word: 'next' }))
    },
  )

  it.each(['never return', 'spin'])(
    'ends after its time when its handler does "%s", and another follows',
    async (does) => {
      await using functions = open(1)
      expect(await invoke(functions, { does })).toEqual({
        outcome: 'threw',
        errorType: 'Sandbox.Timedout',
        errorMessage: 'RequestId: request-1 Error: Task timed out after 1.00 seconds',
      })
      expect(await invoke(functions, { word: 'next' })).toEqual(returned({ count: 1, word: 'next' }))
    },
  )
})

describe('the variables of a function', () => {
  const bundle =
    'export const handler = ({ set }) => { if (set) process.env.WORD = set; const { _X_AMZN_TRACE_ID, ...own } = process.env; return own }'

  it('stay hidden from other functions', async () => {
    await using functions = openFunctions({
      First: { bundle, environment: { WORD: 'first' } },
      Second: { bundle, environment: { WORD: 'second' } },
    })
    expect(await invoke(functions, {}, 'First')).toEqual(returned({ WORD: 'first' }))
    expect(await invoke(functions, { set: 'changed' }, 'First')).toEqual(returned({ WORD: 'changed' }))
    expect(await invoke(functions, {}, 'Second')).toEqual(returned({ WORD: 'second' }))
    expect(process.env['WORD']).toBeUndefined()
  })
})

describe('a bundle', () => {
  it.each([
    ['does not parse', 'export const handler = (', 'SyntaxError'],
    ['throws when it is loaded', 'throw new RangeError("no")', 'RangeError'],
    ['exports no handler', 'export const other = 1', 'TypeError'],
  ])('fails every invocation if it %s', async (_, bundle, errorType) => {
    await using functions = openFunctions({ Broken: { bundle } })
    expect(await invoke(functions, {}, 'Broken')).toMatchObject({ outcome: 'threw', errorType })
    expect(await invoke(functions, {}, 'Broken')).toMatchObject({ outcome: 'threw', errorType })
  })

  it('fails to run under the name of an unknown function', async () => {
    await using functions = open()
    await expect(invoke(functions, {}, 'Missing')).rejects.toThrow('there is no function')
  })
})

describe('concurrent invocations', () => {
  /** Announces itself on a channel and waits there for the signal to continue. */
  const meeting = `
    export const handler = async ({ channel, number }) => {
      const meeting = new BroadcastChannel(channel)
      const released = new Promise((resolve) => { meeting.onmessage = ({ data }) => data === 'go' && resolve() })
      meeting.postMessage('here')
      await released
      meeting.close()
      return number
    }`

  it('get an environment each, up to eight; further ones wait', async () => {
    await using functions = openFunctions({ Meeting: { bundle: meeting } })
    const channel = `meeting-${process.pid}`
    const host = new BroadcastChannel(channel)
    const invocations = Array.from({ length: 12 }, (_, number) => invoke(functions, { channel, number }, 'Meeting'))
    let here = 0
    for (const wave of [8, 4]) {
      for (let arrived = 0; arrived < wave; ) {
        const [{ data }] = await once(host, 'message')
        if (data === 'here') arrived += 1
      }
      here += wave
      host.postMessage('go')
    }
    host.close()
    const numbers = (await Promise.all(invocations)).map((result) => result.outcome === 'returned' && result.payload)
    expect(here).toBe(12)
    expect(numbers).toEqual(invocations.map((_, number) => String(number)))
  })
})
