import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StackStatus } from '@aws-sdk/client-cloudformation'
import { afterAll, describe, expect, it } from 'vitest'
import { hasTemplate, judgeStack, listNextCommands } from '../../../bin/stacks/stack-states.ts'
import { stackArn, stackCreation } from '../../doubles/deployed-stacks.ts'
import { runOnAccount } from './run-on-account.ts'

const folder = mkdtempSync(join(tmpdir(), 'states-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'full.json')
writeFileSync(file, '{}')

const service = 'SearchService-full'
const inState = (status: string, isProtected = true) => ({ stacks: { [service]: { status, isProtected } } })
const deploy = (status: string, ...args: readonly string[]) =>
  runOnAccount('deploy', ['--stage-file', file, '--yes', ...args], inState(status))

/** The states of a stack that can be described, with the verb of the command that is safe to run next. */
const verbs: Readonly<Record<string, string>> = {
  ...{ CREATE_IN_PROGRESS: 'describe-stack-events', CREATE_FAILED: '--after-failed-creation' },
  ...{ ROLLBACK_IN_PROGRESS: 'describe-stack-events', ROLLBACK_FAILED: '--after-failed-creation' },
  ...{ ROLLBACK_COMPLETE: '--after-failed-creation', REVIEW_IN_PROGRESS: 'npm run deploy' },
  ...{ DELETE_IN_PROGRESS: 'describe-stack-events', DELETE_FAILED: 'npm run destroy' },
  ...{ UPDATE_IN_PROGRESS: 'cancel-update-stack', UPDATE_COMPLETE_CLEANUP_IN_PROGRESS: 'describe-stack-events' },
  ...{ UPDATE_FAILED: 'rollback-stack', UPDATE_ROLLBACK_IN_PROGRESS: 'describe-stack-events' },
  ...{ UPDATE_ROLLBACK_FAILED: 'continue-update-rollback' },
  UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS: 'describe-stack-events',
  ...{ IMPORT_IN_PROGRESS: 'describe-stack-events', IMPORT_ROLLBACK_IN_PROGRESS: 'describe-stack-events' },
  IMPORT_ROLLBACK_FAILED: 'describe-stack-events',
}

describe('a state of a stack', () => {
  // The SDK lists the states; a deleted stack is described only by its ARN.
  it.each(Object.values(StackStatus).filter((status) => status !== 'DELETE_COMPLETE'))(
    '%s has a meaning, and the command to run next unless the stack is complete',
    (status) => {
      const stack = {
        name: service,
        id: stackArn(service),
        status,
        createdAt: stackCreation,
        isProtected: true,
        outputs: {},
      }
      const { condition, meaning } = judgeStack(stack)
      expect(meaning).not.toMatch(/does not know/)
      const last = listNextCommands(stack, '--stage full').at(-1)?.command
      expect(condition === 'complete').toBe(last === undefined)
      expect(last ?? '').toContain(verbs[status] ?? '')
      expect(condition === 'complete').toBe(verbs[status] === undefined)
    },
  )

  it('counts as stuck if it is new to this version', () => {
    expect(judgeStack({ status: 'EXPLODED' }).condition).toBe('stuck')
  })
})

describe('a stack to compare with', () => {
  it.each(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED'])(
    'needs a deploy that was completed once, so that %s is none',
    (status) => {
      expect(hasTemplate({ status })).toBe(false)
    },
  )

  it.each(['CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_ROLLBACK_FAILED'])('may be in %s', (status) => {
    expect(hasTemplate({ status })).toBe(true)
  })
})

describe('npm run deploy', () => {
  it.each([
    'CREATE_IN_PROGRESS',
    'UPDATE_IN_PROGRESS',
    'DELETE_IN_PROGRESS',
    'UPDATE_ROLLBACK_FAILED',
    'DELETE_FAILED',
  ])('says what happens to a stack in %s and what is safe to run next, and changes nothing', async (status) => {
    const { errors, exitCode, actions } = await deploy(status)
    expect(errors).toContain(`SearchService-full ${status}: ${judgeStack({ status }).meaning}\n`)
    expect(errors).toContain(verbs[status])
    expect(errors).toMatch(
      /\nerror: nothing was deployed, because of the state of SearchService-full: see the commands above\n$/,
    )
    expect(exitCode).toBe(1)
    expect(new Set(actions)).toEqual(new Set(['DescribeStacks']))
  })

  it('offers to remove what a failed creation of a protected stage has left', async () => {
    const { errors, exitCode } = await deploy('ROLLBACK_COMPLETE')
    expect(errors).toContain('ROLLBACK_COMPLETE: the first deploy failed and was rolled back: nothing is in service\n')
    expect(errors).toContain(`then deploy again: npm run deploy -- --stage-file ${file} --after-failed-creation\n`)
    expect(exitCode).toBe(1)
  })

  it('passes over the state of stacks that it does not deploy: of another stage, and of an earlier version', async () => {
    const { errors } = await runOnAccount('deploy', ['--stage-file', file, '--yes'], {
      stacks: {
        [service]: { status: 'UPDATE_IN_PROGRESS' },
        'Warehouse-full': { status: 'DELETE_FAILED' },
        'SearchService-full-eu': { status: 'DELETE_FAILED' },
      },
    })
    expect(errors).toContain('because of the state of SearchService-full:')
    expect(errors).not.toMatch(/full-eu|Warehouse-full/)
  })
})

describe('a command on a stage', () => {
  const complaint = (status: string) =>
    `error: the stage full is not in service: SearchService-full ${status}: ${judgeStack({ status }).meaning}; npm run status -- --stage full says what to do next\n`

  it.each(['DELETE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'DELETE_FAILED'])(
    'names the state %s of its stack, instead of a missing table',
    async (status) => {
      const { errors, exitCode } = await runOnAccount('keys', ['list', '--stage', 'full'], inState(status))
      expect({ errors, exitCode }).toEqual({ errors: complaint(status), exitCode: 1 })
    },
  )

  it.each([
    ['keys', 'list'],
    ['webhooks', 'failed'],
    ['loads', 'list'],
    ['fee-schedules', 'list'],
    ['restore', '--access', 'SearchService-full-TablesAccessFC9D8B84-1'],
  ])('%s names a failed creation', async (command, ...args) => {
    const status = 'ROLLBACK_COMPLETE'
    const { errors, exitCode } = await runOnAccount(command, [...args, '--stage', 'full'], inState(status))
    expect({ errors, exitCode }).toEqual({ errors: complaint(status), exitCode: 1 })
  })
})

describe('npm run status', () => {
  it.each(['ROLLBACK_COMPLETE', 'DELETE_IN_PROGRESS', 'REVIEW_IN_PROGRESS'])(
    'shows only the state %s of a stage and what to do next, and exits with 3',
    async (status) => {
      const { output, exitCode } = await runOnAccount('status', ['--stage', 'full', '--json'], inState(status))
      const answer = JSON.parse(output)
      expect(Object.keys(answer)).toEqual(['stage', 'stacks', 'next'])
      expect(answer.stacks).toEqual([`SearchService-full ${status}: ${judgeStack({ status }).meaning}`])
      expect(answer.next.join('\n')).toContain(verbs[status])
      expect(exitCode).toBe(3)
    },
  )

  it('says so if only the stack of an earlier version for the warehouse exists', async () => {
    const stacks = { 'Warehouse-full': { status: 'CREATE_COMPLETE' } }
    const { output, exitCode } = await runOnAccount('status', ['--stage', 'full'], { stacks })
    expect(output).toBe(
      `stacks        Warehouse-full CREATE_COMPLETE: deployed
              SearchService-full does not exist yet
next          deploy it: npm run deploy -- --stage-file <path of full.json>
`,
    )
    expect(exitCode).toBe(3)
  })

  it('fails for a stage that is not deployed', async () => {
    const { errors, exitCode } = await runOnAccount('status', ['--stage', 'full'], { stacks: {} })
    expect(errors).toBe(
      'error: the stage full is not deployed in the account 111122223333, region eu-central-1, and no stage is; ' +
        'npm run deploy -- --stage-file <path of full.json> deploys it\n',
    )
    expect(exitCode).toBe(1)
  })

  it('fails for a wrong name of a stage, and names the stages that are deployed', async () => {
    const stacks = { 'SearchService-prod': {}, 'Warehouse-prod': {}, 'SearchService-dev': {} }
    const { errors } = await runOnAccount('keys', ['list', '--stage', 'prd'], { stacks })
    expect(errors).toContain(', region eu-central-1; these stages are: dev, prod; npm run deploy -- ')
  })
})
