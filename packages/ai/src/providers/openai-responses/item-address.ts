/** The fields that identify an event's item. */
export interface ItemAddress {
  output_index?: number | null;
  item_id?: string | null;
}
