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

/** Returns every right that the template grants to a role, except for logging, which the Lambda runtime does. */
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

/** Returns a resource as text. References become logical ids, which is enough to identify a resource. */
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

/** True if a right covers a local call. Local resource names are logical ids, in lower case for buckets. */
export function covers(
  { action, resources }: Right,
  call: { readonly action: string; readonly resource: string },
): boolean {
  if (action !== call.action) return false
  if (call.resource === '*') return true
  const name = call.resource.replace(/^table\//, '').replace(/^arn:aws:s3:::/, '')
  return resources.some(
    (resource) => new RegExp(`(^|[:/])${quote(resource)}$`, 'i').test(name) || endsAlike(resource, call.resource),
  )
}

function endsAlike(resource: string, calledResource: string): boolean {
  const pattern = new RegExp(`${quote(resource.replace(/^.*:::/, ''))}$`, 'i')
  return pattern.test(calledResource)
}

const quote = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
