export function chunk<Member>(members: readonly Member[], size: number): readonly (readonly Member[])[] {
  return Array.from({ length: Math.ceil(members.length / size) }, (_, index) =>
    members.slice(index * size, (index + 1) * size),
  )
}
