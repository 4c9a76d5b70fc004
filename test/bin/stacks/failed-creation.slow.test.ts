import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type ScriptedEvent, type ScriptedStack, stackCreation } from '../../doubles/deployed-stacks.ts'
import { runOnAccount } from './run-on-account.ts'

const folder = mkdtempSync(join(tmpdir(), 'failed-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'prod.json')
writeFileSync(file, '{}')

const name = 'SearchService-prod'
const after = (seconds: number) => new Date(stackCreation.getTime() + seconds * 1000)
const table = { createdAt: after(30), items: 0, isProtected: true }
const type = 'AWS::DynamoDB::GlobalTable'

/** Tables by what they are: only the first two are from the failed creation and empty. */
const tables = {
  'SearchService-prod-TablesJobs313634AE-NEW': table,
  'SearchService-prod-TablesAccessFC9D8B84-NEW': { ...table, isProtected: false },
  'SearchService-prod-TablesWebhooks9E9DC764-FILLED': { ...table, items: 1 },
  'SearchService-prod-TablesContents11BCABFD-IMPORTED': table,
  'SearchService-prod-TablesContents11BCABFD-OLDER': { ...table, createdAt: after(-1) },
  'SearchService-prod-TablesJobs313634AE-KEPT': { ...table, createdAt: after(-86_400), items: 5 },
  'SearchService-prod-TablesJobs313634AE-EMPTY': { ...table, createdAt: after(-86_400) },
  'SearchService-prod-eu-TablesJobs313634AE-SIBLING': table,
}

const events: readonly ScriptedEvent[] = [
  { status: 'CREATE_IN_PROGRESS' },
  { type, physicalId: 'SearchService-prod-TablesJobs313634AE-NEW', status: 'CREATE_COMPLETE' },
  { type, physicalId: 'SearchService-prod-TablesAccessFC9D8B84-NEW', status: 'CREATE_IN_PROGRESS' },
  { type, physicalId: 'SearchService-prod-TablesWebhooks9E9DC764-FILLED', status: 'CREATE_COMPLETE' },
  { type, physicalId: 'SearchService-prod-TablesContents11BCABFD-IMPORTED', status: 'IMPORT_COMPLETE' },
  { type, physicalId: 'SearchService-prod-TablesContents11BCABFD-OLDER', status: 'CREATE_COMPLETE' },
  { type, physicalId: 'SearchService-prod-TablesFeeSchedules-GONE', status: 'CREATE_COMPLETE' },
  { type: 'AWS::Lambda::Function', physicalId: 'SearchService-prod-Sweep', status: 'CREATE_FAILED', reason: 'quota' },
  { status: 'ROLLBACK_IN_PROGRESS' },
  { type, physicalId: 'SearchService-prod-TablesJobs313634AE-NEW', status: 'DELETE_SKIPPED' },
  { status: 'ROLLBACK_COMPLETE' },
]

const failed: ScriptedStack = { status: 'ROLLBACK_COMPLETE', isProtected: true, events }
const sibling = { status: 'CREATE_COMPLETE', isProtected: true }
const destroy = (stack: ScriptedStack, ...args: readonly string[]) =>
  runOnAccount('destroy', ['--stage-file', file, '--yes', ...args], {
    stacks: { [name]: stack, 'SearchService-prod-eu': sibling },
    tables,
  })

describe('npm run destroy after a failed creation', () => {
  it('removes the stack and the empty tables that this creation made, and no other', async () => {
    const { output, errors, exitCode, tables: remaining, actions } = await destroy(failed, '--after-failed-creation')
    expect(errors).toContain('Deleted the stack SearchService-prod, whose creation had failed\n')
    expect(output).toBe('Destroyed the stage prod\n')
    expect(exitCode).toBe(0)
    expect(remaining).toEqual(
      Object.keys(tables)
        .filter((each) => !each.endsWith('-NEW'))
        .sort(),
    )
    expect(actions.filter((action) => /Update|Delete/.test(action))).toEqual([
      'UpdateTerminationProtection',
      'DeleteStack',
    ])
  })

  it('says what it keeps, and why', async () => {
    const { errors } = await destroy(failed, '--after-failed-creation')
    expect(errors).toContain(
      'Kept the table SearchService-prod-TablesWebhooks9E9DC764-FILLED: it has items. Delete it yourself if nobody needs them\n',
    )
    expect(errors).toContain(
      'Kept the table SearchService-prod-TablesContents11BCABFD-OLDER: it is older than the stack.',
    )
    expect(errors).not.toMatch(/KEPT|SIBLING|EMPTY|IMPORTED/)
  })

  it('says so if CloudFormation cannot delete the stack', async () => {
    const { output, errors, exitCode } = await destroy(
      { ...failed, deletion: 'DELETE_FAILED' },
      '--after-failed-creation',
    )
    expect(errors).toContain(
      'error: CloudFormation has not deleted the stack SearchService-prod: npm run status -- --stage prod says what to do next\n',
    )
    expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
  })

  it('looks once more at a stack whose deletion seemed to fail', async () => {
    const late = { ...failed, deletion: 'DELETE_FAILED', isGoneLater: true } as const
    const { errors, exitCode } = await destroy(late, '--after-failed-creation')
    expect(errors).toContain('Deleted the stack SearchService-prod, whose creation had failed\n')
    expect(exitCode).toBe(0)
  })

  it('changes nothing of a stack that was complete once', async () => {
    const complete = [...events.slice(0, 3), { status: 'CREATE_COMPLETE' }, ...events.slice(3)]
    const answer = await destroy({ ...failed, events: complete }, '--after-failed-creation')
    expect(answer.errors).toContain(
      'error: the stack SearchService-prod was deployed before (CREATE_COMPLETE): nothing was removed\n',
    )
    expect(answer.exitCode).toBe(1)
    expect(answer.tables).toHaveLength(Object.keys(tables).length)
  })

  it('asks for the option first, and changes nothing without it', async () => {
    const answer = await destroy(failed)
    expect(answer.errors).toContain(
      `error: the first deploy of the stage prod failed: npm run destroy -- --stage-file ${file} --after-failed-creation removes what it left\n`,
    )
    expect(answer.exitCode).toBe(1)
    expect(new Set(answer.actions)).toEqual(new Set(['DescribeStacks']))
  })

  it('touches nothing of a stage that is deployed', async () => {
    const answer = await destroy({ status: 'UPDATE_COMPLETE', isProtected: true, events }, '--after-failed-creation')
    expect(answer.errors).toContain('No creation of this stage has failed: there is nothing to remove first\n')
    expect(answer.errors).toContain('error: SearchService-prod: protected from deletion')
    expect(answer.tables).toHaveLength(Object.keys(tables).length)
    expect(new Set(answer.actions)).toEqual(new Set(['DescribeStacks']))
  })

  it('waits for CloudFormation while it is at work', async () => {
    const { errors, exitCode } = await destroy({ status: 'UPDATE_IN_PROGRESS' })
    expect(errors).toContain('cancel it: aws cloudformation cancel-update-stack --stack-name SearchService-prod\n')
    expect(errors).toContain('error: nothing was destroyed, because CloudFormation is at work on it')
    expect(exitCode).toBe(1)
  })
})
