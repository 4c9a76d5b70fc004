import * as v from 'valibot'
import type { KnownCredentials } from '../signing/credentials.ts'
import type { StackTemplate } from '../stack-template.ts'

/** The buckets whose objects a role may list, by the role's name. */
export type Listers = ReadonlyMap<string, ReadonlySet<string>>

const oneOrMore = v.union([
  v.pipe(
    v.string(),
    v.transform((text) => [text]),
  ),
  v.array(v.unknown()),
])

const policySchema = v.object({
  Roles: v.optional(v.array(v.unknown()), []),
  PolicyDocument: v.object({
    Statement: v.array(v.object({ Effect: v.string(), Action: oneOrMore, Resource: v.unknown() })),
  }),
})

/**
 * Reads which roles of the template may list which bucket. Conditions on the prefix are not read: a role of the
 * template reads objects only where it may list them, or lists none.
 */
export function readListers(template: StackTemplate): Listers {
  const listers = new Map<string, Set<string>>()
  for (const { properties } of template.ofType('AWS::IAM::Policy')) {
    const { Roles, PolicyDocument } = v.parse(policySchema, properties)
    const buckets = PolicyDocument.Statement.filter(
      ({ Effect, Action }) => Effect === 'Allow' && Action.includes('s3:ListBucket'),
    ).flatMap(({ Resource }) => [Resource].flat().map((arn) => template.text(arn).replace(/^arn:aws:s3:::/, '')))
    for (const role of Roles) {
      const name = template.text(role)
      listers.set(name, new Set([...(listers.get(name) ?? []), ...buckets]))
    }
  }
  return listers
}

/** True if credentials may list a bucket; the local user may list every one. */
export function mayList({ arn }: KnownCredentials, bucket: string, listers: Listers): boolean {
  const [, role] = /:(?:role|assumed-role)\/([^/]+)/.exec(arn) ?? []
  return role === undefined || listers.get(role)?.has(bucket) === true
}
