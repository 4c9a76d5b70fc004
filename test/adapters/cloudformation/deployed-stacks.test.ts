import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { describe, expect, it } from 'vitest'
import { createDeployedStacks } from '../../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges } from '../../../adapters/cloudformation/cfn-stack-changes.ts'
import { type ScriptedStack, stackArn, stackCreation, startCloudFormation } from '../../doubles/deployed-stacks.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

const name = 'SearchService-dev'

/** Runs `use` on a CloudFormation with one stack. */
async function withStack<Result>(stack: ScriptedStack, use: (client: CloudFormationClient) => Promise<Result>) {
  await using cloudFormation = await startCloudFormation({ [name]: stack })
  return await use(new CloudFormationClient(sdkSettings(cloudFormation.url)))
}

describe('a deployed stack', () => {
  const find = (stack: ScriptedStack) => withStack(stack, (client) => createDeployedStacks(client).find(name))

  it('returns its outputs by name, its state and its protection', async () => {
    const outputs = { JobsTable: 'jobs', Url: 'https://rates.example/?a=1&b=<2>' }
    expect(await find({ status: 'UPDATE_ROLLBACK_FAILED', reason: 'no', outputs, isProtected: true })).toEqual({
      name,
      id: stackArn(name),
      status: 'UPDATE_ROLLBACK_FAILED',
      reason: 'no',
      createdAt: stackCreation,
      isProtected: true,
      outputs,
    })
  })

  it('returns no outputs and no protection by default', async () => {
    expect(await find({})).toMatchObject({ outputs: {}, isProtected: false })
  })

  it('returns nothing if there is no such stack', async () => {
    expect(await find({ status: 'DELETE_COMPLETE' })).toBeUndefined()
  })

  it('fails if CloudFormation refuses to describe it', async () => {
    const body = '<ErrorResponse><Error><Code>AccessDenied</Code><Message>refused</Message></Error></ErrorResponse>'
    await using cloudFormation = await startHttpStub(() => ({ status: 400, body }))
    const client = new CloudFormationClient(sdkSettings(cloudFormation.url))
    await expect(createDeployedStacks(client).find(name)).rejects.toThrow('refused')
  })
})

describe('changes of a stack', () => {
  it('return its template, byte for byte', async () => {
    const template = JSON.stringify({ Resources: { Table: { Type: 'a"b<c>&d' } } })
    expect(await withStack({ template }, (client) => createStackChanges(client).readTemplate(name))).toBe(template)
  })

  it('list its events from the first', async () => {
    const events = [
      { status: 'CREATE_IN_PROGRESS' },
      { type: 'AWS::DynamoDB::Table', physicalId: 'jobs', status: 'CREATE_FAILED', reason: 'too many' },
    ]
    expect(await withStack({ events }, (client) => createStackChanges(client).listEvents(stackArn(name)))).toEqual([
      { logicalId: name, physicalId: stackArn(name), type: 'AWS::CloudFormation::Stack', status: 'CREATE_IN_PROGRESS' },
      {
        logicalId: 'jobs',
        physicalId: 'jobs',
        type: 'AWS::DynamoDB::Table',
        status: 'CREATE_FAILED',
        reason: 'too many',
      },
    ])
  })

  it('delete it once its protection is removed, and wait until it is deleted', async () => {
    await withStack({ isProtected: true }, async (client) => {
      const changes = createStackChanges(client)
      await expect(changes.deleteStack(stackArn(name))).rejects.toThrow('cannot be deleted while TerminationProtection')
      await changes.unprotect(name)
      expect(await changes.deleteStack(stackArn(name))).toBe(true)
      expect(await createDeployedStacks(client).find(name)).toBeUndefined()
    })
  })
  it('report that CloudFormation could not delete it', async () => {
    const deleteStack = (client: CloudFormationClient) => createStackChanges(client).deleteStack(stackArn(name))
    expect(await withStack({ deletion: 'DELETE_FAILED' }, deleteStack)).toBe(false)
  })
})
