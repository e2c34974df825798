"""The rules, one small piece each, with the theorem each rests on."""
