import { type IGrantable, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam'

/** Allows actions on resources. Does nothing if the list of resources is empty. */
export function allow(
  grantee: IGrantable,
  actions: string[],
  resources: readonly string[],
  conditions: NonNullable<PolicyStatementProps['conditions']> = {},
): void {
  if (resources.length === 0) return
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [...resources], conditions }))
}
