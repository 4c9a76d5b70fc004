import { type HttpStub, startHttpStub } from './http-stub.ts'

/** Outputs of stacks by their names. */
export type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Starts a CloudFormation that knows these stacks. Source: CloudFormation API, DescribeStacks.
 *
 * @param isProtected whether they are protected from deletion
 */
export function startDeployedStacks(stacks: StackOutputs, isProtected = false): Promise<HttpStub> {
  return startHttpStub(({ body }) =>
    describeStack(stacks[new URLSearchParams(body).get('StackName') ?? ''], isProtected),
  )
}

function describeStack(outputs: Readonly<Record<string, string>> | undefined, isProtected: boolean) {
  if (outputs === undefined) {
    const body = '<ErrorResponse><Error><Code>ValidationError</Code><Message>none</Message></Error></ErrorResponse>'
    return { status: 400, body }
  }
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const protection = `<EnableTerminationProtection>${isProtected}</EnableTerminationProtection>`
  const stack = `<Stacks><member><Outputs>${members.join('')}</Outputs>${protection}</member></Stacks>`
  const body = `<DescribeStacksResponse><DescribeStacksResult>${stack}</DescribeStacksResult></DescribeStacksResponse>`
  return { status: 200, body }
}
