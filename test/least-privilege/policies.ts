import * as v from 'valibot'
import type { StackTemplate } from '../../local/stack-template.ts'

/** One action that a role may perform on some resources. */
export interface Right {
  readonly role: string
  readonly action: string
  readonly resources: readonly string[]
}

const listOrOne = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(
    v.union([v.array(item), item]),
    v.transform((value) => (Array.isArray(value) ? value : [value])),
  )

const policySchema = v.object({
  Roles: v.array(v.object({ Ref: v.string() })),
  PolicyDocument: v.object({
    Statement: v.array(
      v.object({ Effect: v.literal('Allow'), Action: listOrOne(v.string()), Resource: listOrOne(v.unknown()) }),
    ),
  }),
})

/** Every right that the template grants to a role, except for logging, which the Lambda runtime does. */
export function readRights(template: StackTemplate): readonly Right[] {
  return template.ofType('AWS::IAM::Policy').flatMap(({ properties }) => {
    const { Roles, PolicyDocument } = v.parse(policySchema, properties)
    return Roles.flatMap(({ Ref: role }) =>
      PolicyDocument.Statement.flatMap(({ Action, Resource }) => {
        const resources = Resource.map((resource: unknown) => describeResource(resource))
        return Action.filter((action) => !action.startsWith('logs:')).map((action) => ({ role, action, resources }))
      }),
    )
  })
}

/** A resource as text with references as logical ids, which is enough to identify it. */
function describeResource(resource: unknown): string {
  if (typeof resource === 'string') return resource
  if (Array.isArray(resource)) return resource.map(describeResource).join('')
  if (typeof resource !== 'object' || resource === null) return ''
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = v.parse(referenceSchema, resource)
  return Ref ?? attribute?.[0] ?? describeResource(join?.[1])
}

const referenceSchema = v.object({
  Ref: v.optional(v.string()),
  'Fn::GetAtt': v.optional(v.array(v.string())),
  'Fn::Join': v.optional(v.tuple([v.string(), v.array(v.unknown())])),
})

/** Whether a right covers a local call: local resource names are logical ids, in lower case for buckets. */
export function covers(
  { action, resources }: Right,
  called: { readonly action: string; readonly resource: string },
): boolean {
  if (action !== called.action) return false
  if (called.resource === '*') return true
  const name = called.resource.replace(/^table\//, '').replace(/^arn:aws:s3:::/, '')
  return resources.some(
    (resource) => new RegExp(`(^|[:/])${quote(resource)}$`, 'i').test(name) || endsAlike(resource, called.resource),
  )
}

function endsAlike(resource: string, called: string): boolean {
  const pattern = new RegExp(`${quote(resource.replace(/^.*:::/, ''))}$`, 'i')
  return pattern.test(called)
}

const quote = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
