import type { StackResource } from '../../adapters/cloudformation/cfn-stack-resources.ts'
import { type Answer, type HttpStub, startHttpStub } from './http-stub.ts'

/** Outputs of stacks by their names. */
export type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A stack that CloudFormation knows. */
export interface ScriptedStack {
  /** @default CREATE_COMPLETE */
  readonly status?: string
  readonly reason?: string
  readonly outputs?: Readonly<Record<string, string>>
  readonly isProtected?: boolean
  /** State after it was to be deleted. @default DELETE_COMPLETE */
  readonly deletion?: 'DELETE_COMPLETE' | 'DELETE_FAILED'
  /** True if its failed deletion is only shown once. */
  readonly isGoneLater?: boolean
  /** The template that it was deployed with. */
  readonly template?: string
  /** State that another deploy brings about as soon as the template has been read. */
  readonly statusAfterRead?: string
  /** Given two at a time. */
  readonly resources?: readonly StackResource[]
  /** Events of its resources, the oldest first. */
  readonly events?: readonly ScriptedEvent[]
}

/** An event of a resource; without a type, of the stack itself. */
export interface ScriptedEvent {
  readonly type?: string
  readonly physicalId?: string
  readonly status: string
  readonly reason?: string
}

/** The time at which the creation of every scripted stack began. */
export const stackCreation = new Date('2026-11-20T08:00:00Z')

export const stackArn = (name: string) => `arn:aws:cloudformation:eu-central-1:111122223333:stack/${name}/0a1b2c3d`

/**
 * Starts a CloudFormation that knows these stacks.
 *
 * @param isProtected true if the stacks are protected from deletion
 */
export const startDeployedStacks = (stacks: StackOutputs, isProtected = false): Promise<HttpStub> =>
  startCloudFormation(
    Object.fromEntries(Object.entries(stacks).map(([name, outputs]) => [name, { outputs, isProtected }])),
  )

/**
 * Starts a CloudFormation whose stacks are in any state. It takes termination protection back and deletes stacks,
 * unless they are protected. Source: CloudFormation API, DescribeStacks, DescribeStackEvents, ListStackResources,
 * GetTemplate, DeleteStack and UpdateTerminationProtection.
 */
export function startCloudFormation(scripted: Readonly<Record<string, ScriptedStack>>): Promise<HttpStub> {
  const stacks = new Map(Object.entries(scripted))
  return startHttpStub(({ body }) => {
    const parameters = new URLSearchParams(body)
    const asked = parameters.get('StackName') ?? ''
    const [name = ''] = asked.startsWith('arn:') ? asked.split('/').slice(1) : [asked]
    const action = parameters.get('Action') ?? ''
    if (action === 'DescribeStacks' && asked === '')
      return answer(action, `<Stacks>${[...stacks].map((entry) => describeStack(...entry)).join('')}</Stacks>`)
    const stack = stacks.get(name)
    // A deleted stack is described only by its ARN.
    if (stack === undefined || (stack.status === 'DELETE_COMPLETE' && asked === name))
      return refuseStack(`Stack with id ${name} does not exist`)
    switch (action) {
      case 'DescribeStacks':
        if (stack.status === 'DELETE_FAILED' && stack.isGoneLater)
          stacks.set(name, { ...stack, status: 'DELETE_COMPLETE' })
        return answer(action, `<Stacks>${describeStack(name, stack)}</Stacks>`)
      case 'DescribeStackEvents':
        return answer(
          action,
          `<StackEvents>${(stack.events ?? [])
            .toReversed()
            .map((event) => describeEvent(name, event))
            .join('')}</StackEvents>`,
        )
      case 'ListStackResources':
        return answer(action, listResources(stack.resources ?? [], Number(parameters.get('NextToken') ?? 0)))
      case 'GetTemplate':
        if (stack.statusAfterRead !== undefined) stacks.set(name, { ...stack, status: stack.statusAfterRead })
        return answer(action, element('TemplateBody', stack.template))
      case 'UpdateTerminationProtection':
        stacks.set(name, { ...stack, isProtected: parameters.get('EnableTerminationProtection') === 'true' })
        return answer(action, element('StackId', stackArn(name)))
      case 'DeleteStack':
        if (stack.isProtected)
          return refuseStack(`Stack [${name}] cannot be deleted while TerminationProtection is enabled`)
        stacks.set(name, { ...stack, status: stack.deletion ?? 'DELETE_COMPLETE' })
        return answer(action, '')
      default:
        throw new Error(`CloudFormation got an unexpected call: ${action}`)
    }
  })
}

const answer = (action: string, result: string): Answer => ({
  status: 200,
  body: `<${action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${action}Result>${result}</${action}Result></${action}Response>`,
})

const refuseStack = (message: string): Answer => ({
  status: 400,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>${element('Message', message)}</Error></ErrorResponse>`,
})

function describeStack(name: string, { status, reason, outputs = {}, isProtected = false }: ScriptedStack): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member>${element('OutputKey', key)}${element('OutputValue', value)}</member>`,
  )
  return `<member>${[
    element('StackName', name),
    element('StackId', stackArn(name)),
    element('CreationTime', stackCreation.toISOString()),
    element('StackStatus', status ?? 'CREATE_COMPLETE'),
    element('StackStatusReason', reason),
    element('EnableTerminationProtection', String(isProtected)),
    `<Outputs>${members.join('')}</Outputs>`,
  ].join('')}</member>`
}

function describeEvent(stack: string, { type, physicalId, status, reason }: ScriptedEvent): string {
  return `<member>${[
    element('StackId', stackArn(stack)),
    element('EventId', `${physicalId ?? stack}-${status}`),
    element('StackName', stack),
    element('Timestamp', stackCreation.toISOString()),
    element('LogicalResourceId', physicalId ?? stack),
    element('PhysicalResourceId', type === undefined ? stackArn(stack) : physicalId),
    element('ResourceType', type ?? 'AWS::CloudFormation::Stack'),
    element('ResourceStatus', status),
    element('ResourceStatusReason', reason),
  ].join('')}</member>`
}

function listResources(resources: readonly StackResource[], from: number): string {
  const members = resources
    .slice(from, from + 2)
    .map(({ type, logicalId, physicalId }) =>
      [
        '<member>',
        element('ResourceType', type),
        element('LogicalResourceId', logicalId),
        element('PhysicalResourceId', physicalId || undefined),
        element('ResourceStatus', 'CREATE_COMPLETE'),
        '</member>',
      ].join(''),
    )
  const next = from + 2 < resources.length ? element('NextToken', String(from + 2)) : ''
  return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>${next}`
}

const element = (name: string, text: string | undefined): string =>
  text === undefined
    ? ''
    : `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')}</${name}>`
