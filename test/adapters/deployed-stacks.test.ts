import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { describe, expect, it } from 'vitest'
import { createDeployedStacks } from '../../adapters/cfn-deployed-stacks.ts'
import { type Answer, startHttpStub } from '../doubles/http-stub.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'

/** CloudFormation's answer to DescribeStacks. */
const describeStacks = (stacks: string): Answer => ({
  status: 200,
  body: `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${stacks}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
})

const refuse = (code: string): Answer => ({
  status: 400,
  body: `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>refused</Message></Error></ErrorResponse>`,
})

async function readOutputs(answer: Answer) {
  await using cloudFormation = await startHttpStub(() => answer)
  const client = new CloudFormationClient(sdkSettings(cloudFormation.url))
  const outputs = await createDeployedStacks(client).readOutputs('SearchService-dev')
  expect(cloudFormation.calls[0]?.body).toContain('StackName=SearchService-dev')
  return outputs
}

describe('the outputs of a stack', () => {
  it('are returned by name', async () => {
    const output = (key: string, value: string) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`
    const outputs = output('JobsTable', 'jobs') + output('Url', 'https://rates.example')
    const stack = `<member><StackName>SearchService-dev</StackName><Outputs>${outputs}</Outputs></member>`
    expect(await readOutputs(describeStacks(stack))).toEqual({ JobsTable: 'jobs', Url: 'https://rates.example' })
  })

  it('are empty if it has none', async () => {
    expect(await readOutputs(describeStacks('<member><StackName>Empty</StackName></member>'))).toEqual({})
  })

  it('are undefined if there is no such stack', async () => {
    expect(await readOutputs(refuse('ValidationError'))).toBeUndefined()
  })

  it('are not hidden by another refusal', async () => {
    await expect(readOutputs(refuse('AccessDenied'))).rejects.toThrow('refused')
  })
})
