/** The declarations that differ between two versions: JSON Pointers of members with `*` for any item, or names in a .proto. */
export interface SchemaChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}
