import { describe, expect, expectTypeOf, it } from 'vitest'
import { capacityWaits } from '../../../core/workflow/start-query.ts'
import type { NextStep } from '../../../schema/workflow-step.ts'
import {
  at,
  defaultStage,
  dev,
  type Json,
  listOf,
  named,
  ofType,
  render,
  synthesise,
} from '../../templates/templates.ts'

const template = dev().service
const [machine] = ofType(template, 'AWS::StepFunctions::StateMachine')
const text = render(machine?.properties['DefinitionString'])
const definition = JSON.parse(text) as Json
const states = Object.entries(at(definition, 'States') ?? {}).map(([name, state]: [string, Json]) => ({ name, state }))
const tasks = states.filter(({ state }) => at(state, 'Type') === 'Task')
const steps = tasks.filter(({ name }) => name !== 'RecordFailure')
const stateNamed = (name: string) => at(definition, 'States', name)

/** The values of `next`; `refresh` is only handled with an operator's relation (own-relation.test.ts). */
type Word = Exclude<NextStep['next'], 'refresh'>

/** The state that each `next` leads to; the default handles `end`. */
const branches: Readonly<Record<Word, string>> = {
  await: 'AwaitQuery',
  publish: 'PublishResults',
  retry: 'BackOff',
  end: 'Done',
}

describe('every step of the workflow', () => {
  it('exists', () => {
    expect(tasks.map(({ name }) => name).sort()).toEqual([
      'AwaitQuery',
      'PublishResults',
      'RecordFailure',
      'StartQuery',
    ])
    expect(at(definition, 'StartAt')).toBe('StartQuery')
  })

  it.each(steps)('$name has unexpected errors caught and recorded', ({ state }) => {
    expect(at(state, 'Catch')).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'RecordFailure' }])
  })

  it.each(tasks)('$name retries throttling first, for longer than any job lives', ({ state }) => {
    const [first] = listOf(at(state, 'Retry'))
    expect(first).toMatchObject({ ErrorEquals: ['Lambda.TooManyRequestsException'] })
    const delay = Number(at(first, 'MaxDelaySeconds'))
    expect(delay).toBeLessThanOrEqual(60)
    // With full jitter a delay is random between 0 and the maximum, so expect half of it.
    expect((Number(at(first, 'MaxAttempts')) * delay) / 2).toBeGreaterThan(
      10 * Number(at(definition, 'TimeoutSeconds')),
    )
  })

  it.each(tasks)('$name is retried on every other error, with the catch-all last', ({ state }) => {
    const errors = listOf(at(state, 'Retry')).map((retry) => listOf(at(retry, 'ErrorEquals')))
    expect(errors.at(-1)).toEqual(['States.ALL'])
    expect(errors.flat().filter((error) => error === 'States.ALL')).toHaveLength(1)
    expect(errors.flat()).toContain('Lambda.ServiceException')
    for (const retry of listOf(at(state, 'Retry'))) {
      expect(retry).toMatchObject({ JitterStrategy: 'FULL', BackoffRate: 2 })
      expect(Number(at(retry, 'MaxAttempts'))).toBeGreaterThanOrEqual(3)
    }
  })

  it.each(tasks)('$name calls a version of its function, never an unpublished one', ({ name, state }) => {
    const id = render(at(state, 'Resource')).slice(1, -1)
    const version = template.find((resource) => resource.id === id)
    // Kept by an upgrade but deleted by its rollback; otherwise the same code could not be published again.
    expect(version).toMatchObject({ type: 'AWS::Lambda::Version', deletionPolicy: 'RetainExceptOnCreate' })
    expect(render(version?.properties['FunctionName'])).toMatch(new RegExp(`^<${name}[0-9A-F]{8}>$`))
  })

  it.each(steps)('$name keeps the job next to its result, and a choice follows', ({ state }) => {
    expect(state).toMatchObject({ ResultPath: '$.step', Next: 'WhatNext' })
    for (const path of ['InputPath', 'OutputPath', 'Parameters', 'ResultSelector'])
      expect(at(state, path)).toBeUndefined()
  })
})

describe('the next state', () => {
  const choice = stateNamed('WhatNext')
  const choices = listOf(at(choice, 'Choices'))

  it('follows the word that the step returned, and ends by default', () => {
    const targets = choices.map((branch) => [at(branch, 'StringEquals'), at(branch, 'Next')])
    const { end, ...words } = branches
    expect(Object.fromEntries(targets)).toEqual(words)
    expect(choices).toHaveLength(Object.keys(words).length)
    expect(at(choice, 'Default')).toBe(end)
    expect(choices.map((branch) => at(branch, 'Variable'))).toEqual(choices.map(() => '$.step.next'))
  })

  it('exists for every value of next', () => {
    expectTypeOf<keyof typeof branches>().toEqualTypeOf<Word>()
    for (const target of Object.values(branches)) expect(stateNamed(target)).toBeDefined()
  })

  it('waits as long as the step asked, before the query is retried', () => {
    expect(stateNamed('BackOff')).toEqual({ Type: 'Wait', SecondsPath: '$.step.waitSeconds', Next: 'StartQuery' })
  })

  it('fails the execution once the failure is recorded', () => {
    expect(stateNamed('RecordFailure')).toMatchObject({ Next: 'Broken', ResultPath: null })
    expect(at(stateNamed('RecordFailure'), 'Catch')).toBeUndefined()
    expect(stateNamed('Broken')).toMatchObject({ Type: 'Fail', Error: 'SearchBroke' })
    expect(stateNamed('Done')).toEqual({ Type: 'Succeed' })
  })
})

describe('a search that goes well', () => {
  /**
   * Returns the states that an execution enters if its steps return these words. Each is a transition that AWS bills.
   */
  const walk = (words: readonly Word[]) => {
    const entered: string[] = []
    let next = String(at(definition, 'StartAt'))
    for (const word of words) {
      const choice = String(at(stateNamed(next), 'Next'))
      entered.push(next, choice)
      const branch = listOf(at(stateNamed(choice), 'Choices')).find(
        (candidate) => at(candidate, 'StringEquals') === word,
      )
      next = String(at(branch, 'Next') ?? at(stateNamed(choice), 'Default'))
    }
    return [...entered, next]
  }

  it('takes three transitions if start-query waits for its query to the end and publishes its result', () => {
    expect(walk(['end'])).toEqual(['StartQuery', 'WhatNext', 'Done'])
  })

  it('takes two more if its result is left to publish-results', () => {
    expect(walk(['publish', 'end'])).toEqual(['StartQuery', 'WhatNext', 'PublishResults', 'WhatNext', 'Done'])
  })

  it('takes two more again if its query is handed over', () => {
    expect(walk(['await', 'publish', 'end'])).toHaveLength(7)
  })
})

describe('the workflow', () => {
  const { waitingHours, runningHours } = defaultStage

  it('may run ten minutes past the limits of its job, so that the sweeper ends the job first', () => {
    expect(at(definition, 'TimeoutSeconds')).toBe((waitingHours + runningHours) * 3600 + 600)
  })

  it('can wait and run to the limits of its job within the history quota of Step Functions', () => {
    // Events per loop: a task enters, is scheduled, starts, succeeds and exits; the choice and the wait enter and exit.
    const [waitTurn, awaitTurn, quota] = [5 + 2 + 2, 5 + 2, 25_000]
    // After the first waits a delay is at least half of the longest.
    const events = ((waitingHours * 3600) / (capacityWaits.most / 2)) * waitTurn + runningHours * 60 * awaitTurn
    expect(events).toBeLessThan(quota * 0.75)
  })

  it('uses only JSONPath, like the local engine', () => {
    expect(text).not.toMatch(/JSONata|QueryLanguage|\{%|"Assign"|"Arguments"/)
  })

  it('reaches every state, and every transition leads to an existing state', () => {
    const targets = new Set([...text.matchAll(/"(?:Next|Default|StartAt)":"(\w+)"/g)].map(([, name]) => name))
    expect([...targets].sort()).toEqual(states.map(({ name }) => name).sort())
  })

  it('logs to a group that needs no entry in the account’s resource policy', () => {
    const destination = at(
      listOf(at(machine?.properties['LoggingConfiguration'], 'Destinations'))[0],
      'CloudWatchLogsLogGroup',
    )
    const { id, properties } = named(template, 'AWS::Logs::LogGroup', 'WorkflowLogs')
    expect(render(at(destination, 'LogGroupArn'))).toContain(id)
    expect(properties['LogGroupName']).toBe('/aws/vendedlogs/states/rate-search-dev')
  })

  it('logs errors without job data, as a standard workflow', () => {
    expect(machine?.properties['StateMachineType'] ?? 'STANDARD').toBe('STANDARD')
    const logging = machine?.properties['LoggingConfiguration']
    expect(at(logging, 'Level')).toBe('ERROR')
    expect(at(logging, 'IncludeExecutionData') ?? false).toBe(false)
  })
})

describe('the workflow of a stage with few functions', () => {
  const { service } = synthesise({ ...defaultStage, fewFunctions: true })
  const [sparing] = ofType(service, 'AWS::StepFunctions::StateMachine')
  const pausing = JSON.parse(render(sparing?.properties['DefinitionString'])) as Json
  const turnOf = (resources: typeof service) =>
    at(named(resources, 'AWS::Lambda::Function', 'AwaitQuery').properties, 'Environment', 'Variables', 'QUERY_TURN_MS')

  it('waits without a function before each look at a query, and each look is short', () => {
    expect(listOf(at(pausing, 'States', 'WhatNext', 'Choices')).map((choice) => at(choice, 'Next'))).toContain(
      'PauseBetweenLooks',
    )
    expect(at(pausing, 'States', 'PauseBetweenLooks')).toEqual({ Type: 'Wait', Seconds: 15, Next: 'AwaitQuery' })
    expect([turnOf(service), turnOf(template)]).toEqual(['0', '50000'])
  })

  it('can wait for longer than the most hours that Athena gives a query, with the events that an execution may have', () => {
    const eventsOfALook = 9
    const maxEvents = 25_000
    expect((maxEvents / eventsOfALook) * 15).toBeGreaterThan(2 * 4 * 3600)
  })
})
